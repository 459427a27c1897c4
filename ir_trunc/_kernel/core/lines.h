/* Lines of runs: `query_id Q0 doc_id rank score tag`. */
#ifndef IR_TRUNC_LINES_H
#define IR_TRUNC_LINES_H

#include "lists.h"

/* Adds whole lines, and all lines of their topics. False where anything stands there that is not plainly a run. */
bool lines_of_run(Lists *lists, Text lines);

#endif

/* Lines of runs, `query_id Q0 doc_id rank score tag`, and of qrels, `query_id iteration doc_id relevance`. */
#ifndef IR_TRUNC_LINES_H
#define IR_TRUNC_LINES_H

#include "lists.h"
#include "qrels.h"

/* Adds whole lines, and all lines of their topics. False where anything is not plainly a line of a run. */
bool lines_of_run(Lists *lists, Text lines);

/* All lines, the last of which ends by a newline, too. */
bool lines_of_qrels(Qrels *qrels, Text lines);

#endif

/* Lines of runs, `query_id Q0 doc_id rank score tag`, and of qrels, `query_id iteration doc_id relevance`. */
#ifndef IR_TRUNC_LINES_H
#define IR_TRUNC_LINES_H

#include "lists.h"
#include "qrels.h"

/* Add whole lines, the last of which ends by a newline, too; of a run all lines of their topics. False where
 * anything is not plainly such a line. */
bool lines_of_run(Lists *lists, Text lines);
bool lines_of_qrels(Qrels *qrels, Text lines);

#endif

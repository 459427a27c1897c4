/* Numbers as text. */
#ifndef IR_TRUNC_NUMBERS_H
#define IR_TRUNC_NUMBERS_H

#include "text.h"

/* The double nearest to a decimal number; false for what is none, is not finite, or is too long to tell. */
bool number_of(Text text, double *number);

/* A whole number below 2^31, as ranks and grades are in files; false for anything else. */
bool whole_number_of(Text text, double *number);

#endif

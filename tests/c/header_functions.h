/* The functions that the header declares, for the tests that no table of rows forgets one. */

#ifndef QUEUECORE_TEST_HEADER_FUNCTIONS_H
#define QUEUECORE_TEST_HEADER_FUNCTIONS_H

#include "support.h"

/* Calls `visit` with each function's name, which is `length` characters long and not terminated. */
void for_each_function_of_the_header(void (*visit)(void *ctx, const char *name, size_t length), void *ctx);

#endif

/* What the WASI header leaves out. */
#ifndef HEDDLE_STDLIB_H
#define HEDDLE_STDLIB_H

#include_next <stdlib.h>

void qsort_r(void *, size_t, size_t, int (*)(const void *, const void *, void *), void *);

#endif

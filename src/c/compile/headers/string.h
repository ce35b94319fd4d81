/* What the WASI header leaves out: functions of Annex K of C11, for those who ask for them. */
#include_next <string.h>

#if defined(__STDC_WANT_LIB_EXT1__) && __STDC_WANT_LIB_EXT1__ && !defined(HEDDLE_STRING_H)
#define HEDDLE_STRING_H

typedef int errno_t;
typedef size_t rsize_t;

errno_t memcpy_s(void *__restrict, rsize_t, const void *__restrict, rsize_t);
errno_t memmove_s(void *, rsize_t, const void *, rsize_t);
errno_t memset_s(void *, rsize_t, int, rsize_t);

#endif

/* Words that headers of C libraries are written with. */
#ifndef HEDDLE_SYS_CDEFS_H
#define HEDDLE_SYS_CDEFS_H

#include <features.h>

#ifdef __cplusplus
#define __BEGIN_DECLS extern "C" {
#define __END_DECLS }
#else
#define __BEGIN_DECLS
#define __END_DECLS
#endif

#define __P(arguments) arguments
#define __CONCAT(x, y) x##y
#define __STRING(x) #x
#define __THROW
#define __nonnull(parameters)
#define __wur
#define __attribute_pure__ __attribute__((__pure__))
#define __attribute_const__ __attribute__((__const__))
#define __always_inline __inline __attribute__((__always_inline__))
#define __glibc_likely(condition) __builtin_expect((condition), 1)
#define __glibc_unlikely(condition) __builtin_expect((condition), 0)

#endif

/*
 * The generic functions of the compiler's header, which take objects that are _Atomic only, take any others as well, as gcc
 * does: the object is accessed as if it were _Atomic.
 */
#ifndef HEDDLE_STDATOMIC_H
#define HEDDLE_STDATOMIC_H

#include_next <stdatomic.h>

/* The comma makes a value of what the pointer points to, which has no qualifiers and is not _Atomic. */
#define __heddle_atomic(object) ((_Atomic(__typeof__((void)0, *(object))) *)(object))

#undef atomic_init
#undef atomic_is_lock_free
#undef atomic_store
#undef atomic_store_explicit
#undef atomic_load
#undef atomic_load_explicit
#undef atomic_exchange
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak
#undef atomic_compare_exchange_weak_explicit
#undef atomic_fetch_add
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_or
#undef atomic_fetch_or_explicit
#undef atomic_fetch_xor
#undef atomic_fetch_xor_explicit
#undef atomic_fetch_and
#undef atomic_fetch_and_explicit

/* What follows the object may have commas: a compound literal. */
#define atomic_init(object, ...) __c11_atomic_init(__heddle_atomic(object), __VA_ARGS__)
#define atomic_is_lock_free(object) __c11_atomic_is_lock_free(sizeof(*(object)))

#define atomic_store(object, ...) __c11_atomic_store(__heddle_atomic(object), __VA_ARGS__, __ATOMIC_SEQ_CST)
#define atomic_store_explicit(object, ...) __c11_atomic_store(__heddle_atomic(object), __VA_ARGS__)
#define atomic_load(object) __c11_atomic_load(__heddle_atomic(object), __ATOMIC_SEQ_CST)
#define atomic_load_explicit(object, ...) __c11_atomic_load(__heddle_atomic(object), __VA_ARGS__)
#define atomic_exchange(object, ...) __c11_atomic_exchange(__heddle_atomic(object), __VA_ARGS__, __ATOMIC_SEQ_CST)
#define atomic_exchange_explicit(object, ...) __c11_atomic_exchange(__heddle_atomic(object), __VA_ARGS__)

#define atomic_compare_exchange_strong(object, ...) \
    __c11_atomic_compare_exchange_strong(__heddle_atomic(object), __VA_ARGS__, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_strong_explicit(object, ...) \
    __c11_atomic_compare_exchange_strong(__heddle_atomic(object), __VA_ARGS__)
#define atomic_compare_exchange_weak(object, ...) \
    __c11_atomic_compare_exchange_weak(__heddle_atomic(object), __VA_ARGS__, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define atomic_compare_exchange_weak_explicit(object, ...) \
    __c11_atomic_compare_exchange_weak(__heddle_atomic(object), __VA_ARGS__)

#define atomic_fetch_add(object, ...) __c11_atomic_fetch_add(__heddle_atomic(object), __VA_ARGS__, __ATOMIC_SEQ_CST)
#define atomic_fetch_add_explicit(object, ...) __c11_atomic_fetch_add(__heddle_atomic(object), __VA_ARGS__)
#define atomic_fetch_sub(object, ...) __c11_atomic_fetch_sub(__heddle_atomic(object), __VA_ARGS__, __ATOMIC_SEQ_CST)
#define atomic_fetch_sub_explicit(object, ...) __c11_atomic_fetch_sub(__heddle_atomic(object), __VA_ARGS__)
#define atomic_fetch_or(object, ...) __c11_atomic_fetch_or(__heddle_atomic(object), __VA_ARGS__, __ATOMIC_SEQ_CST)
#define atomic_fetch_or_explicit(object, ...) __c11_atomic_fetch_or(__heddle_atomic(object), __VA_ARGS__)
#define atomic_fetch_xor(object, ...) __c11_atomic_fetch_xor(__heddle_atomic(object), __VA_ARGS__, __ATOMIC_SEQ_CST)
#define atomic_fetch_xor_explicit(object, ...) __c11_atomic_fetch_xor(__heddle_atomic(object), __VA_ARGS__)
#define atomic_fetch_and(object, ...) __c11_atomic_fetch_and(__heddle_atomic(object), __VA_ARGS__, __ATOMIC_SEQ_CST)
#define atomic_fetch_and_explicit(object, ...) __c11_atomic_fetch_and(__heddle_atomic(object), __VA_ARGS__)

#endif

/* The functions through which a program speaks to Heddle. A program may as well declare them itself. */
#ifndef HEDDLE_H
#define HEDDLE_H

/* An execution in which the condition does not hold ends here and does not count. */
void __VERIFIER_assume(int);
void __VERIFIER_assert(int);
_Noreturn void __VERIFIER_error(void);

/* Sections between these two exclude each other, as if one mutex guarded them all. */
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

/* Any value within --nondet LEAST..GREATEST that the type can hold. */
_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned int __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);

#endif

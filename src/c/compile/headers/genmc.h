/*
 * For programs written for GenMC and Dartagnan. What helps these checkers, and means nothing to the program, does nothing
 * here.
 */
#ifndef HEDDLE_GENMC_H
#define HEDDLE_GENMC_H

#include <heddle.h>

void __VERIFIER_loop_begin(void);
void __VERIFIER_loop_bound(int);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(int);
int __VERIFIER_opt_begin(void);
int __VERIFIER_tid(void);

#define __VERIFIER_optional(statement) \
    do { \
        if (__VERIFIER_opt_begin()) { \
            statement; \
        } \
    } while (0)
#define __VERIFIER_local_write(expression) expression
#define __VERIFIER_final_write(expression) expression
#define __VERIFIER_confirming(expression) expression
#define __VERIFIER_speculative(expression) expression

#endif

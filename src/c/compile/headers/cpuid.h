/* What the processor can do is not modelled: these functions are refused where they are called. */
#ifndef HEDDLE_CPUID_H
#define HEDDLE_CPUID_H

unsigned int __get_cpuid_max(unsigned int, unsigned int *);
int __get_cpuid(unsigned int, unsigned int *, unsigned int *, unsigned int *, unsigned int *);
int __get_cpuid_count(unsigned int, unsigned int, unsigned int *, unsigned int *, unsigned int *, unsigned int *);

#define __cpuid(leaf, a, b, c, d) ((void)__get_cpuid(leaf, &(a), &(b), &(c), &(d)))
#define __cpuid_count(leaf, sub, a, b, c, d) ((void)__get_cpuid_count(leaf, sub, &(a), &(b), &(c), &(d)))

#endif

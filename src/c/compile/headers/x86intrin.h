/* Of the intrinsic functions of x86 those that programs with threads use: fences and pauses. */
#ifndef HEDDLE_X86INTRIN_H
#define HEDDLE_X86INTRIN_H

void _mm_pause(void);
void _mm_mfence(void);
void _mm_lfence(void);
void _mm_sfence(void);
void __builtin_ia32_pause(void);
void __builtin_ia32_mfence(void);
void __builtin_ia32_lfence(void);
void __builtin_ia32_sfence(void);
unsigned long long __rdtsc(void);
unsigned long long __rdtscp(unsigned int *);
unsigned long long __builtin_ia32_rdtsc(void);

#define _MM_HINT_T0 3
#define _MM_HINT_T1 2
#define _MM_HINT_T2 1
#define _MM_HINT_NTA 0
#define _mm_prefetch(address, hint) ((void)(address))
#define _mm_clflush(address) ((void)(address))

#endif

/* Programs that include it compile; the functions are refused where they are called. */
#ifndef HEDDLE_SETJMP_H
#define HEDDLE_SETJMP_H

typedef long jmp_buf[16];
typedef long sigjmp_buf[16];

int setjmp(jmp_buf) __attribute__((__returns_twice__));
int _setjmp(jmp_buf) __attribute__((__returns_twice__));
int sigsetjmp(sigjmp_buf, int) __attribute__((__returns_twice__));
__attribute__((__noreturn__)) void longjmp(jmp_buf, int);
__attribute__((__noreturn__)) void _longjmp(jmp_buf, int);
__attribute__((__noreturn__)) void siglongjmp(sigjmp_buf, int);

#endif

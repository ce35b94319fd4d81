#ifndef HEDDLE_ERROR_H
#define HEDDLE_ERROR_H

void error(int, int, const char *, ...);

#endif

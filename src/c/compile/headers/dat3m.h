#include <genmc.h>

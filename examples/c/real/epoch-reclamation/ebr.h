#ifndef EBR_H
#define EBR_H

/*
 * Epoch-based reclamation: memory that was unlinked from a shared structure is freed when no thread can have a pointer
 * to it any more. A thread pins the epoch while it uses shared nodes. The epoch advances when all pinned threads have
 * seen it, so what was retired two epochs ago is nobody's.
 */

typedef void (*ebr_destructor)(void *object);

/* May be nested. */
void ebr_pin(void);
void ebr_unpin(void);

/* Frees the object later; only while pinned, and only after it was unlinked. */
void ebr_retire(void *object, ebr_destructor destructor);

/* Frees all that is left, when no other thread is at work. */
unsigned ebr_shutdown(void);

#endif

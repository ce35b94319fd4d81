/** Spinlocks: mutexes of the normal type. Waiting for one that nobody unlocks is a deadlock. */
import { keeps, type Library, steps, tries } from '../define.ts';
import { EBUSY } from '../standard/errno.ts';
import { destroyMutex, initMutex, lockMutex, NORMAL, tryMutex, unlockMutex } from './mutex.ts';

export const pthreadSpin: Library = {
  pthread_spin_init: steps(keeps, (thread, call, lock: number, _shared: number) =>
    initMutex(thread, lock, NORMAL, call),
  ),
  pthread_spin_destroy: steps(keeps, (thread, call, lock: number) => destroyMutex(thread, lock, call)),
  pthread_spin_lock: steps(keeps, (thread, call, lock: number) => lockMutex(thread, lock, call)),
  pthread_spin_trylock: steps(tries, (thread, call, lock: number) => tryMutex(thread, lock, EBUSY, call)),
  pthread_spin_unlock: steps(keeps, (thread, call, lock: number) => unlockMutex(thread, lock, call)),
};

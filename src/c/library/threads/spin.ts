/** Spinlocks: mutexes of the normal type. Waiting for one that nobody unlocks is a deadlock. */
import type { Library } from '../../runtime.ts';
import { steps } from '../define.ts';
import { EBUSY } from '../standard/errno.ts';
import { destroyMutex, initMutex, lockMutex, NORMAL, tryMutex, unlockMutex } from './mutex.ts';

export const pthreadSpin: Library = {
  pthread_spin_init: steps((thread, call, lock: number, _shared: number) => initMutex(thread, lock, NORMAL, call)),
  pthread_spin_destroy: steps((thread, call, lock: number) => destroyMutex(thread, lock, call)),
  pthread_spin_lock: steps((thread, call, lock: number) => lockMutex(thread, lock, call)),
  pthread_spin_trylock: steps((thread, call, lock: number) => tryMutex(thread, lock, EBUSY, call)),
  pthread_spin_unlock: steps((thread, call, lock: number) => unlockMutex(thread, lock, call)),
};

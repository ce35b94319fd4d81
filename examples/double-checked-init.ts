/**
 * Double-checked initialisation: the first user makes the configuration, the others find it.
 *
 * `ready` is atomic and stored after `config`: who sees it true also sees the configuration, without the lock. Of two
 * users who come at the same time both take the lock, one after the other, and the second looks again.
 */
import { assert, atomic, mutex, program, shared, spawn } from 'heddle';

interface Config {
  readonly port: number;
}

export default program(function* () {
  const lock = mutex();
  const ready = atomic(false);
  const config = shared<Config | undefined>(undefined);
  const made = atomic(0);

  function* user() {
    if (!(yield* ready.load('acquire'))) {
      yield* lock.lock();
      if (!(yield* ready.load('relaxed'))) {
        yield* made.fetchAdd(1);
        yield* config.store({ port: 8080 });
        yield* ready.store(true, 'release');
      }
      yield* lock.unlock();
    }
    return yield* config.load();
  }

  const first = yield* spawn(user);
  const second = yield* spawn(user);
  const seen = [yield* first.join(), yield* second.join()];
  assert(seen[0] !== undefined && seen[0] === seen[1], 'all users see the same configuration');
  assert((yield* made.load()) === 1, 'it was made once');
});

/**
 * Double-checked initialisation as it was published more than once: without the atomic flag.
 *
 * The first check loads the plain variable `config` while another thread, under the lock, may be storing it. Nothing
 * orders the two: Heddle reports a `race`.
 */
import { assert, mutex, program, shared, spawn } from 'heddle';

interface Config {
  readonly port: number;
}

export default program(function* () {
  const lock = mutex();
  const config = shared<Config | undefined>(undefined);

  function* user() {
    let mine = yield* config.load(); // <- fails
    if (mine === undefined) {
      yield* lock.lock();
      mine = yield* config.load();
      if (mine === undefined) {
        mine = { port: 8080 };
        yield* config.store(mine); // <- fails
      }
      yield* lock.unlock();
    }
    return mine;
  }

  const first = yield* spawn(user);
  const second = yield* spawn(user);
  assert((yield* first.join()) === (yield* second.join()), 'all users see the same configuration');
});

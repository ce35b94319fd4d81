/**
 * Barriers. The value is `phase:arrived:count`. Each arrival changes it; the last one of a phase opens the phase's gate, a
 * location of its own that is written once, so that who waits there has one write to read, even when others are already on
 * their way to the next phase. The gate is not part of the barrier's memory: who has been let through may find that another
 * thread has destroyed and freed the barrier, which POSIX allows.
 */
import type { Location } from '../../../program/location.ts';
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { gives, I32, keeps, keepsFirst, type Library, steps, uses } from '../define.ts';
import { EINVAL } from '../standard/errno.ts';
import { change, live, misused, newObject, syncObject } from './sync.ts';

const ROLE = 'barrier';
const OPEN = 1;
/** PTHREAD_BARRIER_SERIAL_THREAD */
const SERIAL_THREAD = -1;

interface Barrier {
  readonly phase: number;
  readonly arrived: number;
  /** 0: it was never initialised. */
  readonly count: number;
}

function decode(value: unknown): Barrier {
  if (typeof value !== 'string' || !value.includes(':')) return { phase: 0, arrived: 0, count: 0 };
  const [phase, arrived, count] = value.split(':').map(Number) as [number, number, number];
  return { phase, arrived, count };
}

const encode = ({ phase, arrived, count }: Barrier): string => `${phase}:${arrived}:${count}`;

function nameOf(location: Location): string {
  return `the barrier${location.name === undefined ? '' : ` ${location.name}`}`;
}

const shortNameOf = (location: Location): string => location.name ?? 'a barrier';

function* init(thread: CThread, pointer: number, count: number, call: CallSite): Run<number> {
  if (count === 0) return EINVAL;
  const location = yield* newObject(thread, pointer, ROLE, call);
  // phases go on, because the gates of an earlier life stay open
  const apply = (value: unknown): unknown => encode({ phase: decode(value).phase, arrived: 0, count: count >>> 0 });
  yield change(
    location,
    'init',
    count,
    apply,
    'acq_rel',
    call,
    () => `init ${shortNameOf(location)} for ${count >>> 0}`,
  );
  return 0;
}

function* wait(thread: CThread, pointer: number, call: CallSite): Run<number> {
  const location = yield* syncObject(thread, pointer, ROLE, call);
  const arrive = (value: unknown): unknown => {
    const { phase, arrived, count } = decode(live(value, nameOf(location), call));
    if (count === 0) misused(`${nameOf(location)} is not initialised`, call);
    return encode(
      arrived + 1 < count ? { phase, arrived: arrived + 1, count } : { phase: phase + 1, arrived: 0, count },
    );
  };
  const { phase, arrived, count } = decode(
    yield change(location, 'arrive', 0, arrive, 'acq_rel', call, () => `arrives at ${shortNameOf(location)}`),
  );
  const place = `at 0x${pointer.toString(16)}`;
  const nameOfGate = (): string => `gate ${phase + 1} of ${location.name ?? ROLE} ${place}`;
  const gate = thread.globalLocation(`gate ${phase + 1} ${place}`, 0, nameOfGate);
  const { position } = call;
  if (arrived + 1 === count) {
    const words = (): string => `is the last at ${shortNameOf(location)}, and opens it`;
    yield { kind: 'store', location: gate, value: OPEN, order: 'release', position, words };
    return SERIAL_THREAD;
  }
  yield {
    kind: 'await-load',
    location: gate,
    until: (value) => value === OPEN,
    order: 'acquire',
    sleeps: true,
    position,
    words: (done) =>
      done === undefined ? `waits for others at ${shortNameOf(location)}` : `goes on from ${shortNameOf(location)}`,
  };
  return 0;
}

/** The last phase is kept for a next life. */
function* destroy(thread: CThread, pointer: number, call: CallSite): Run<number> {
  const location = yield* syncObject(thread, pointer, ROLE, call);
  const apply = (value: unknown): unknown => {
    const { phase, arrived, count } = decode(live(value, nameOf(location), call));
    if (count === 0) misused(`${nameOf(location)} is not initialised`, call);
    if (arrived > 0) misused(`${nameOf(location)} is destroyed while threads wait at it`, call);
    return encode({ phase, arrived: 0, count: 0 });
  };
  yield change(location, 'destroy', 0, apply, 'acq_rel', call, () => `destroy ${shortNameOf(location)}`);
  return 0;
}

export const pthreadBarrier: Library = {
  pthread_barrier_init: steps(keepsFirst, (thread, call, pointer: number, _attributes: number, count: number) =>
    init(thread, pointer, count, call),
  ),
  pthread_barrier_wait: steps(keeps, (thread, call, pointer: number) => wait(thread, pointer, call)),
  pthread_barrier_destroy: steps(keeps, (thread, call, pointer: number) => destroy(thread, pointer, call)),

  pthread_barrierattr_init: steps(uses, function* (thread, call, attributes: number) {
    yield* thread.store(attributes, I32, 0, call);
    return 0;
  }),
  pthread_barrierattr_destroy: gives(0, uses),
  pthread_barrierattr_setpshared: gives(0, uses),
};

/**
 * A thread that waits, as people write it: a loop that reads, does something on some values, and leaves at the end or in the middle.
 * What it does is mostly of one kind, so that each kind meets itself: writes, updates, variables that are carried along, ways out,
 * inner loops, what may fail, sections under a lock, variables of its own.
 */
import type { ThreadText } from './random-thread.ts';

type Kind = 'write' | 'update' | 'carry' | 'choice' | 'leave' | 'loop' | 'fault' | 'try' | 'lock' | 'own' | 'other';

/** Where control goes from inside of a loop: to its end, at once to its beginning, or out. */
interface Target {
  readonly header: string;
  readonly again: string;
  readonly out: string;
}

interface Nest {
  readonly text: ThreadText;
  readonly kind: Kind;
  /** The loops around, the innermost first. */
  readonly targets: readonly Target[];
}

export function writeNest(text: ThreadText): string {
  text.begin();
  if (text.random.chance(0.2)) text.compute();
  writeLoop({ text, kind: someKind(text), targets: [] });
  text.jump('exit');
  return text.end();
}

function someKind({ random, isPolling }: ThreadText): Kind {
  if (isPolling && random.chance(0.7)) return 'lock';
  return random.weighted<Kind>(
    [3, 'write'],
    [6, 'update'],
    [3, 'carry'],
    [3, 'choice'],
    [2, 'leave'],
    [5, 'loop'],
    [2, 'fault'],
    [1, 'try'],
    [2, 'lock'],
    [2, 'own'],
    [0.5, 'other'],
  );
}

function writeLoop(nest: Nest): void {
  if (nest.text.random.chance(0.2)) writeWhile(nest);
  else writeDoWhile(nest);
}

/** do { read; parts } while (…) */
function writeDoWhile({ text, kind, targets: around }: Nest): void {
  const { random } = text;
  const [header, again, out] = [text.label(), text.label(), text.label()];
  const nest = { text, kind, targets: [{ header, again, out }, ...around] };
  const isInner = around.length > 0;
  /** The lock is held at the header, and given back for a while between rounds. */
  const isHeld = !isInner && kind === 'lock' && random.chance(0.4);
  if (isHeld) text.lock();
  text.jump(header);
  text.block(header);
  if (random.chance(0.2)) text.read();
  else text.load('@x');
  const goal = text.goalCondition();
  if (random.chance(isInner ? 0.1 : 0.25)) text.load();
  for (let n = random.weighted([isInner ? 1 : 0, 0], [5, 1], [isInner ? 0 : 3, 2]); n > 0; n--) writePart(nest);
  text.branch(random.chance(0.8) ? goal : text.condition(), out, again);
  text.block(again);
  if (isHeld) text.unlock();
  if (random.chance(0.1)) text.pause();
  if (isHeld) text.lock();
  text.jump(header);
  text.block(out);
  if (isHeld) text.unlock();
}

/** read; while (…) { parts; read } */
function writeWhile({ text, kind, targets: around }: Nest): void {
  const { random } = text;
  const [header, body, again, out] = [text.label(), text.label(), text.label(), text.label()];
  const nest = { text, kind, targets: [{ header, again, out }, ...around] };
  const local = text.anyLocal();
  text.load('@x', local);
  text.jump(header);
  text.block(header);
  text.branch(text.goalCondition(), out, body);
  text.block(body);
  for (let n = random.between(0, 1); n > 0; n--) writePart(nest);
  text.jump(again);
  text.block(again);
  text.load(random.chance(0.85) ? '@x' : '@y', random.chance(0.85) ? local : text.anyLocal());
  text.jump(header);
  text.block(out);
}

function writePart(nest: Nest): void {
  const { text, targets } = nest;
  const { random } = text;
  const kind = random.chance(0.6) ? nest.kind : someKind(text);
  switch (kind) {
    case 'write':
      onSomeValues(nest, () => text.write());
      break;
    case 'carry':
      onSomeValues(nest, () => text.compute());
      break;
    case 'update':
      if (random.chance(0.6)) text.update();
      else onSomeValues(nest, () => text.update());
      break;
    case 'choice':
      writeChoice(nest);
      break;
    case 'leave':
      writeLeave(nest);
      break;
    case 'loop':
      if (targets.length < 2) writeLoop({ ...nest, kind: random.pick(['write', 'carry', 'carry', 'update', 'leave']) });
      else onSomeValues(nest, () => text.compute());
      break;
    case 'fault':
      if (random.chance(0.4)) text.fault();
      else onSomeValues(nest, () => text.fault());
      break;
    case 'try':
      text.trySection(() => writeEffect(text));
      break;
    case 'own':
      if (random.chance(0.7)) text.own();
      else onSomeValues(nest, () => text.own());
      break;
    case 'lock':
      text.lock();
      if (random.chance(0.7)) text.load();
      else writeEffect(text);
      text.unlock();
      break;
    case 'other':
      random.pick([() => text.assume(), () => text.assert(), () => text.write(), () => text.compute()])();
      break;
  }
}

function writeLeave(nest: Nest): void {
  const { text } = nest;
  const stay = text.label();
  text.branch(text.condition(), pickTarget(nest), stay);
  text.block(stay);
}

/** After what it does there, control may go elsewhere. */
function onSomeValues(nest: Nest, write: () => void): void {
  const { text } = nest;
  const [then, after] = [text.label(), text.label()];
  text.branch(text.condition(), then, after);
  text.block(then);
  write();
  text.jump(text.random.chance(0.1) ? pickTarget(nest) : after);
  text.block(after);
}

function writeChoice(nest: Nest): void {
  const { text } = nest;
  const [then, otherwise, after] = [text.label(), text.label(), text.label()];
  if (text.random.chance(0.3)) text.switch(then, otherwise);
  else text.branch(text.condition(), then, otherwise);
  for (const label of [then, otherwise]) {
    text.block(label);
    if (text.random.chance(0.2)) writeLeave(nest);
    else writeEffect(text);
    text.jump(after);
  }
  text.block(after);
}

function writeEffect(text: ThreadText): void {
  switch (text.random.weighted([3, 'write'], [3, 'compute'], [3, 'load'], [2, 'update'], [1, 'fault'])) {
    case 'write':
      text.write();
      break;
    case 'compute':
      text.compute();
      break;
    case 'load':
      text.load();
      break;
    case 'update':
      text.update();
      break;
    case 'fault':
      text.fault();
      break;
  }
}

function pickTarget({ text: { random }, targets }: Nest): string {
  const { header, again, out } = random.pick(targets);
  return random.weighted([2, again], [1, header], [2, out]);
}

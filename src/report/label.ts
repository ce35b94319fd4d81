/** One step of an execution in a few characters: `x = 1`, `x → 0`, `lock m`, `cas x 0→1 ✓`. */
import type { CheckError, CheckResult, RecordedStep } from '../check/result.ts';
import { showValue } from '../program/describe.ts';
import type { Language } from '../program/language.ts';

export interface LabelContext {
  nameOfThread(thread: number): string;
  /** The word of the program's language for an allocation. */
  readonly allocation: string;
  readonly columns: Language['columns'];
  /** How to show a value: a trace file holds values as text already. */
  readonly show: (value: unknown) => string;
  /** Whether memory orders have to do with the error: if it is possible under sequential consistency, they have not. */
  readonly orders: boolean;
}

export function labelContext(
  { execution, underSc }: CheckError,
  { model, language }: Pick<CheckResult, 'model' | 'language'>,
  show: (value: unknown) => string = showValue,
): LabelContext {
  const names = new Map(execution.threads.map(({ id, name }) => [id, name]));
  const { allocation, columns } = language;
  const orders = model !== 'sc' && underSc !== 'possible';
  return { nameOfThread: (t) => names.get(t) ?? `thread ${t}`, allocation, columns, show, orders };
}

export function labelOf(step: RecordedStep, context: LabelContext): string {
  return step.words ?? `${actionOf(step, context)}${orderOf(step, context)}`;
}

/** Of steps that are one line: see `linesOf`. */
export function labelOfAll(steps: readonly RecordedStep[], context: LabelContext): string {
  const last = steps.at(-1) as RecordedStep;
  return steps.length > 1 && last.part !== undefined ? last.part.whole : labelOf(last, context);
}

/**
 * The steps in lines: an access to several locations is one, and what makes ready for a step is part of it. Such a line is broken
 * where another thread comes between, and around steps that must be seen by themselves (`isAlone`).
 */
export function linesOf(steps: readonly RecordedStep[], isAlone: (step: RecordedStep) => boolean): RecordedStep[][] {
  const lines: RecordedStep[][] = [];
  for (const step of steps) {
    const before = lines.at(-1)?.at(-1);
    if (before !== undefined && isOneLine(before, step) && ![before, step].some(isAlone)) lines.at(-1)?.push(step);
    else lines.push([step]);
  }
  return lines;
}

function isOneLine(before: RecordedStep, step: RecordedStep): boolean {
  if (before.thread !== step.thread) return false;
  if (before.prepares === true) return true;
  const [first, second] = [before.part, step.part];
  return first !== undefined && first.whole === second?.whole && first.index + 1 === second.index;
}

/** Where steps have their values from: `⟵ #3` or `(initial)`. For locks the order of the steps says it already. */
export function readsFromNote(steps: readonly RecordedStep[]): string {
  const [last] = steps.slice(-1);
  if (last?.wokenBy !== undefined) return `by #${last.wokenBy + 1}`;
  const shown = steps.filter((step) => step === last || step.prepares !== true);
  const from = shown.flatMap(({ readsFrom, op, words }) =>
    readsFrom === undefined || op === 'lock' || op === 'trylock' || op === 'store-part' || words !== undefined
      ? []
      : [readsFrom],
  );
  if (from.length === 0) return '';
  const written = [...new Set(from.filter((step) => step >= 0))].sort((a, b) => a - b).map((step) => `#${step + 1}`);
  if (written.length === 0) return '(initial)';
  const more = written.length > MOST_SOURCES ? ', …' : '';
  return `⟵ ${written.slice(0, MOST_SOURCES).join(', ')}${more}`;
}

const MOST_SOURCES = 3;

/** What sets the step apart from one that memory performs at once: a stale read, a late write. `steps`: all of them. */
export function weaknessNote(step: RecordedStep, steps: readonly RecordedStep[], { show }: LabelContext): string {
  const { missed, takesEffectBefore } = step;
  const parts: string[] = [];
  if (missed !== undefined) {
    const newer = steps[missed];
    const isValue = newer !== undefined && 'written' in newer && !isOfMutex(newer);
    const wrote = isValue ? `wrote ${newer.writtenText ?? show(newer.written)}` : 'is newer';
    parts.push(`stale: #${missed + 1} ${wrote}`);
  }
  if (takesEffectBefore !== undefined) parts.push(`late: takes effect before #${takesEffectBefore + 1}`);
  return parts.join(', ');
}

function isOfMutex({ op }: RecordedStep): boolean {
  return op.includes('lock') || op.startsWith('mutex');
}

function actionOf(step: RecordedStep, { nameOfThread, allocation, show }: LabelContext): string {
  const place = step.accessed ?? step.location ?? '?';
  const target = step.target === undefined ? '?' : nameOfThread(step.target);
  const read = step.readText ?? show(step.read);
  const written = step.writtenText ?? show(step.written);
  const change = 'written' in step && 'read' in step ? ` ${read}→${written}` : '';
  switch (step.op) {
    case 'load':
      return 'read' in step ? `${place} → ${read}` : `load ${place}`;
    case 'store':
    case 'store-part':
      return 'written' in step ? `${place} = ${written}` : `store ${place}`;
    case 'update':
      return `${step.detail ?? 'update'} ${place}${change}`;
    case 'compare-exchange':
      if (!('read' in step)) return `cas ${place} ${step.detail ?? ''}`;
      return `cas ${place} ${step.detail ?? ''} ${change === '' ? `✗ (was ${read})` : '✓'}`;
    case 'await-load':
      return 'read' in step ? `await ${place} → ${read}` : `await ${place}`;
    case 'await-exchange':
    case 'await-compare-exchange':
      return `await ${place}${change}`;
    case 'await-update':
      return `${step.detail ?? 'await'} ${place}${change}`;
    case 'trylock':
      return `trylock ${place}${'read' in step ? ('written' in step ? ' ✓' : ' ✗') : ''}`;
    case 'lock':
    case 'unlock':
      return `${step.op} ${place}`;
    case 'mutex-init':
    case 'mutex-destroy':
      return `${step.op.slice('mutex-'.length)} ${place}`;
    case 'spawn':
      return `spawn ${target}`;
    case 'join':
      return 'read' in step ? `join ${target} → ${read}` : `join ${target}`;
    case 'choose':
      return step.choice === undefined ? 'choose' : `choose → ${step.choice}`;
    case 'block':
      return 'assume false';
    case 'allocate':
      // of what goes away by itself nobody asks how large it is
      if (step.detail === undefined) return `${place} begins`;
      return `${allocation} ${step.detail}${step.location === undefined ? '' : ` → &${place}`}`;
    case 'free':
      if (step.detail !== undefined) return `leave ${step.detail}`;
      return `free ${step.location ?? ''}`.trimEnd();
    case 'print':
      return `prints ${JSON.stringify(step.text ?? '')}`;
    case 'exit':
      return `exit ${step.detail ?? ''}`.trimEnd();
    default:
      return step.op;
  }
}

function orderOf(step: RecordedStep, { orders }: LabelContext): string {
  if (!orders || step.order === undefined || step.order === 'plain') return '';
  return ` [${step.order}]`;
}

/** One step of an execution in a few characters: `x = 1`, `x → 0`, `lock m`, `cas x 0→1 ✓`. */
import type { CheckError, CheckResult, RecordedStep } from '../check/result.ts';
import { showValue } from '../program/describe.ts';

export interface LabelContext {
  nameOfThread(thread: number): string;
  /** The word of the program's language for an allocation. */
  readonly allocation: string;
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
  const orders = model !== 'sc' && underSc !== 'possible';
  return { nameOfThread: (t) => names.get(t) ?? `thread ${t}`, allocation: language.allocation, show, orders };
}

export function labelOf(step: RecordedStep, context: LabelContext): string {
  return `${actionOf(step, context)}${orderOf(step, context)}`;
}

/** Where a read has its value from: `⟵ #3` or `(initial)`. For locks the order of the steps says it already. */
export function readsFromNote(step: RecordedStep): string {
  if (step.readsFrom === undefined || step.op === 'lock' || step.op === 'trylock') return '';
  return step.readsFrom < 0 ? '(initial)' : `⟵ #${step.readsFrom + 1}`;
}

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
  const place = step.location ?? '?';
  const target = step.target === undefined ? '?' : nameOfThread(step.target);
  const read = step.readText ?? show(step.read);
  const written = step.writtenText ?? show(step.written);
  const change = 'written' in step && 'read' in step ? ` ${read}→${written}` : '';
  switch (step.op) {
    case 'load':
      return 'read' in step ? `${place} → ${read}` : `load ${place}`;
    case 'store':
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
    case 'mutex-init':
    case 'mutex-destroy':
      return `${step.op} ${place}`;
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
      return step.detail === undefined ? `${place} begins` : `${allocation} ${step.detail}`;
    case 'free':
      if (step.detail !== undefined) return `return from ${step.detail}`;
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

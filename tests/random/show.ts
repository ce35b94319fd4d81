/** Programs of the oracle's language as pseudo-code, for failure messages. */
import {
  type Condition,
  nameOfUpdate,
  type ProgramAst,
  partOf,
  type Statement,
  UNUSED,
  type Value,
} from '../oracle/language.ts';

export function show(program: ProgramAst): string {
  const lines: string[] = [];
  for (const [name, initial] of Object.entries(program.atomics)) lines.push(`atomic ${name} = ${initial}`);
  for (const [name, initial] of Object.entries(program.shared)) lines.push(`shared ${name} = ${initial}`);
  for (const name of program.mutexes) lines.push(`mutex ${name}`);
  for (const [name, parts] of Object.entries(program.objects ?? {}))
    lines.push(`object ${name} { ${parts.join(' ')} }`);
  return [...lines, 'main {', ...showBody(program.main), '}'].join('\n');
}

function showBody(body: readonly Statement[]): string[] {
  return body.flatMap(showStatement).map((line) => `  ${line}`);
}

function showStatement(statement: Statement): string[] {
  const part = partOf(statement);
  const lines = showWhole(statement);
  return part === undefined ? lines : lines.map((line) => `${line}  // part ${part}`);
}

function showWhole(statement: Statement): string[] {
  switch (statement.kind) {
    case 'load':
      return [`r${statement.register} = ${statement.location}.load(${statement.order ?? ''})`];
    case 'store':
      return [`${statement.location}.store(${showValue(statement.value)}${after(statement.order)})`];
    case 'exchange':
      return [
        `r${statement.register} = ${statement.location}.exchange(${showValue(statement.value)}${after(statement.order)})`,
      ];
    case 'fetchAdd':
      return [
        `${statement.register === UNUSED ? '' : `r${statement.register} = `}${statement.location}.${nameOfUpdate(statement)}(${statement.add}${after(statement.order)})`,
      ];
    case 'compareExchange': {
      const { location, register, expected, desired, order, failureOrder } = statement;
      const orders = failureOrder === undefined ? after(order) : `${after(order ?? 'seq_cst')}${after(failureOrder)}`;
      return [`r${register} = ${location}.compareExchange(${expected}, ${desired}${orders})`];
    }
    case 'awaitUntil': {
      const { location, register, condition, assumed, order } = statement;
      return [`r${register} = ${awaits(assumed)} ${location} ${showCondition(condition)}${after(order)}`];
    }
    case 'awaitUpdate': {
      const { location, register, condition, keep, add, set, sleeps, assumed, order } = statement;
      const unless = keep === undefined ? '' : ` unless ${showCondition(keep)}`;
      return [
        `r${register} = ${sleeps ? 'sleep' : awaits(assumed)} ${location} ${showCondition(condition)}, ${set === undefined ? `add ${add}` : `set ${set}`}${unless}${after(order)}`,
      ];
    }
    case 'allocate':
    case 'free':
      return [`${statement.kind} ${statement.object}`];
    case 'exit':
      return ['exit'];
    case 'plainLoad':
      return [`r${statement.register} = ${statement.location}`];
    case 'plainStore':
      return [`${statement.location} = ${showValue(statement.value)}`];
    case 'lock':
      return [`${statement.mutex}.lock()`];
    case 'unlock':
      return [`${statement.mutex}.unlock()`];
    case 'tryLock':
      return [`r${statement.register} = ${statement.mutex}.tryLock()`];
    case 'spawn':
      return [`t${statement.slot} = spawn {`, ...showBody(statement.body), '}'];
    case 'join':
      return [`r${statement.register} = t${statement.slot}.join()`];
    case 'fence':
      return [`fence(${statement.order ?? ''})`];
    case 'yield':
      return ['yield()'];
    case 'choose':
      return [`r${statement.register} = choose(${statement.count})`];
    case 'if': {
      const otherwise = statement.otherwise.length === 0 ? ['}'] : ['} else {', ...showBody(statement.otherwise), '}'];
      return [`if (r${statement.register} == ${statement.equals}) {`, ...showBody(statement.whenEqual), ...otherwise];
    }
    case 'assume':
      return [`assume(r${statement.register} ${showCondition(statement.condition)})`];
    case 'assert':
      return [`assert(r${statement.register} != ${statement.not}, "assert ${statement.id}")`];
    case 'return':
      return [`return r${statement.register}`];
  }
}

function awaits(assumed: boolean | undefined): string {
  return assumed === true ? 'assumed await' : 'await';
}

function after(order: string | undefined): string {
  return order === undefined ? '' : `, ${order}`;
}

function showValue({ register, constant }: Value): string {
  if (register === undefined) return `${constant}`;
  return constant === 0 ? `r${register}` : `r${register} + ${constant}`;
}

function showCondition({ op, constant }: Condition): string {
  return `${op} ${constant}`;
}

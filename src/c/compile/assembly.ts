/**
 * Inline assembly is written for other processors than the one that we compile for, whose registers clang does not know. So
 * constraints that name a register ("=a") become ones for any register, and registers that are clobbered are left out; which
 * register was meant is told at the end of the template (`REGISTERS_MARK` in src/c/ir/assembly.ts). Lines stay where they are.
 *
 * An instruction for 64 bits is right for a `long`, which has 32 here, and wrong for an `int`. As they cannot be told apart later, an
 * operand is added that says it.
 *
 * That is done in the text, before macros are expanded: assembly in the body of a macro is as complete as elsewhere. What is
 * put together by macros in another way is left as it is, and clang says what it thinks of it.
 */

const KEYWORD = /^(asm|__asm__|__asm)$/;
const tokens =
  /\/\/(?:\\\r?\n|[^\n])*|\/\*[\s\S]*?\*\/|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|\w+|\\\r?\n|\s+|[\s\S]/g;

interface Token {
  readonly text: string;
  readonly at: number;
}

const isBlank = ({ text }: Token): boolean => /^(\s|\\\r?\n|\/\/|\/\*)/.test(text);

export function portableAssembly(source: string): string {
  if (!/\b(asm|__asm__|__asm)\b/.test(source)) return source;
  const all = [...source.matchAll(tokens)].map(({ 0: text, index: at }) => ({ text, at })).filter((t) => !isBlank(t));
  let result = '';
  let done = 0;
  const replace = (from: number, to: number, text: string): void => {
    result += source.slice(done, from) + text;
    done = to;
  };
  for (let i = 0; i < all.length; i++) {
    if (!KEYWORD.test((all[i] as Token).text)) continue;
    let open = i + 1;
    while (/^(volatile|__volatile__|__volatile|inline|__inline__|__inline)$/.test(all[open]?.text ?? '')) open++;
    if (all[open]?.text !== '(') continue;
    const close = closing(all, open);
    if (close === undefined) continue;
    for (const [from, to, text] of changes(all.slice(open + 1, close), (all[close] as Token).at))
      replace(from, to, text);
    i = close;
  }
  return result + source.slice(done);
}

/** The parenthesis that belongs to the one at `open`. */
function closing(all: readonly Token[], open: number): number | undefined {
  let depth = 0;
  for (let i = open; i < all.length; i++) {
    const { text } = all[i] as Token;
    if (text === '(' || text === '[' || text === '{') depth++;
    else if (text === ')' || text === ']' || text === '}') depth--;
    if (depth === 0) return i;
  }
  return undefined;
}

type Change = readonly [from: number, to: number, text: string];

/** In what stands between the parentheses: template : outputs : inputs : clobbers. */
function changes(inside: readonly Token[], end: number): Change[] {
  const sections: Token[][] = [[]];
  const colons: Token[] = [];
  let depth = 0;
  for (const token of inside) {
    if (token.text === '#' && depth === 0 && sections.length > 1) return []; // a directive, or part of a macro
    if (/^[([{]$/.test(token.text)) depth++;
    else if (/^[)\]}]$/.test(token.text)) depth--;
    if (token.text === ':' && depth === 0) {
      colons.push(token);
      sections.push([]);
    } else sections.at(-1)?.push(token);
  }
  const [template = [], outputs = [], inputs = [], clobbers = []] = sections;
  const [colon] = colons;
  if (colon === undefined) return [];
  const operands = [...operandsIn(outputs), ...operandsIn(inputs)];
  const result: Change[] = [];
  const registers = operands.map(({ constraint }) => registerOf(constraint?.text ?? ''));
  const longs = template.some(({ text }) => /q/i.test(text)) ? longsAmong(operands) : undefined;
  if (longs !== undefined) registers.push('long');
  if (registers.some((register) => register !== '')) {
    result.push([colon.at, colon.at, `"\\n#registers ${registers.join(',')}" `]);
  }
  for (const { constraint } of operands) {
    if (constraint === undefined) continue;
    const text = portable(constraint.text);
    if (text !== constraint.text) result.push([constraint.at, constraint.at + constraint.text.length, text]);
  }
  if (longs !== undefined) {
    const at = colons[2]?.at ?? end;
    result.push([at, at, `${colons.length === 1 ? ': ' : inputs.length > 0 ? ', ' : ''}"i"(${longs}) `]);
  }
  for (const { text, at } of clobbers) {
    if (text.startsWith('"') && !/^"(memory|cc|flags|dirflag|fpsr)"$/.test(text)) {
      result.push([at, at + text.length, '"cc"']);
    }
  }
  return result;
}

/** `[name] "constraint" (value)` */
interface Operand {
  /** Undefined if it is no text. */
  readonly constraint: Token | undefined;
  readonly value: Token[];
}

function operandsIn(section: readonly Token[]): Operand[] {
  if (section.length === 0) return [];
  const result: Operand[] = [];
  let depth = 0;
  let isFirst = true;
  for (const token of section) {
    const isSeparator = token.text === ',' && depth === 0;
    if (isFirst && depth === 0 && !/^[[\]]$/.test(token.text) && !isSeparator) {
      result.push({ constraint: token.text.startsWith('"') ? token : undefined, value: [] });
      isFirst = false;
    } else if (!isFirst && !isSeparator) result.at(-1)?.value.push(token);
    if (/^[([{]$/.test(token.text)) depth++;
    else if (/^[)\]}]$/.test(token.text)) depth--;
    else if (isSeparator) isFirst = true;
  }
  return result;
}

/** With a space for what was between them. */
function onOneLine(tokens: readonly Token[]): string {
  const endOf = ({ at, text }: Token): number => at + text.length;
  return tokens.map((token, i) => (i > 0 && endOf(tokens[i - 1] as Token) < token.at ? ' ' : '') + token.text).join('');
}

/** A number whose bits say which are a `long`; undefined if that cannot be asked, or of nothing. */
function longsAmong(operands: readonly Operand[]): string | undefined {
  const isKnown = ({ constraint, value }: Operand): boolean =>
    constraint !== undefined &&
    value[0]?.text === '(' &&
    closing(value, 0) === value.length - 1 &&
    value.every(({ text }) => text !== '#');
  if (operands.length === 0 || operands.length > 30 || !operands.every(isKnown)) return undefined;
  const bits = operands.map(({ value }, i) => {
    return `_Generic(${onOneLine(value)}, long: ${2 ** i}, unsigned long: ${2 ** i}, default: 0)`;
  });
  return bits.join(' | ');
}

/** The one register that a constraint allows: a letter; or the condition that it is about: `@ccz`. */
function registerOf(constraint: string): string {
  const [, text = ''] = /^"[=+&%]*(.*)"$/.exec(constraint) ?? [];
  return /^([abcdSDA]|@cc\w+)$/.test(text) ? text : '';
}

/** For any processor: registers of any kind, numbers of any size. */
function portable(constraint: string): string {
  const [, start = '', text = ''] = /^("[=+&%]*)(.*)"$/.exec(constraint) ?? [];
  if (text.startsWith('@cc')) return `${start}r"`;
  if (/^\d*$/.test(text)) return constraint;
  const letters = [...text].map((letter) =>
    /[abcdSDAqQRlxyet]/.test(letter) ? 'r' : /[I-PZ]/.test(letter) ? 'i' : letter,
  );
  // of a result clang would pass the address, if it may be in memory as well
  const isResult = /[=+]/.test(start) && /[rg]/.test(letters.join(''));
  const kept = isResult ? ['r'] : [...new Set(letters)];
  return `${start}${kept.join('')}"`;
}

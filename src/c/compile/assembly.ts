/**
 * Inline assembly is written for other processors than the one that we compile for, whose registers clang does not know. So
 * constraints that name a register ("=a") become ones for any register, and registers that are clobbered are left out; which
 * register was meant is told at the end of the template (`REGISTERS_MARK` in src/c/ir/assembly.ts). Lines stay where they are.
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
    for (const [from, to, text] of changes(all.slice(open + 1, close))) replace(from, to, text);
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
function changes(inside: readonly Token[]): Change[] {
  const sections: Token[][] = [[]];
  let colon: Token | undefined;
  let depth = 0;
  for (const token of inside) {
    if (token.text === '#' && depth === 0 && sections.length > 1) return []; // a directive, or part of a macro
    if (/^[([{]$/.test(token.text)) depth++;
    else if (/^[)\]}]$/.test(token.text)) depth--;
    if (token.text === ':' && depth === 0) {
      colon ??= token;
      sections.push([]);
    } else sections.at(-1)?.push(token);
  }
  if (colon === undefined) return [];
  const operands = [...constraintsIn(sections[1] ?? []), ...constraintsIn(sections[2] ?? [])];
  const result: Change[] = [];
  const registers = operands.map((token) => registerOf(token?.text ?? ''));
  if (registers.some((register) => register !== '')) {
    result.push([colon.at, colon.at, `"\\n#registers ${registers.join(',')}" `]);
  }
  for (const token of operands) {
    if (token === undefined) continue;
    const text = portable(token.text);
    if (text !== token.text) result.push([token.at, token.at + token.text.length, text]);
  }
  for (const { text, at } of sections[3] ?? []) {
    if (text.startsWith('"') && !/^"(memory|cc|flags|dirflag|fpsr)"$/.test(text)) {
      result.push([at, at + text.length, '"cc"']);
    }
  }
  return result;
}

/** Of each operand, `[name] "constraint" (value)`, the constraint; undefined if it is no text. */
function constraintsIn(section: readonly Token[]): (Token | undefined)[] {
  if (section.length === 0) return [];
  const result: (Token | undefined)[] = [];
  let depth = 0;
  let isFirst = true;
  for (const token of section) {
    if (isFirst && depth === 0 && !/^[[\]]$/.test(token.text) && !token.text.startsWith(',')) {
      result.push(token.text.startsWith('"') ? token : undefined);
      isFirst = false;
    }
    if (/^[([{]$/.test(token.text)) depth++;
    else if (/^[)\]}]$/.test(token.text)) depth--;
    else if (token.text === ',' && depth === 0) isFirst = true;
  }
  return result;
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

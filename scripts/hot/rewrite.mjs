/**
 * Hot classes as they are in dist/: what translated code uses of their fields lies in memory that it shares with JavaScript, once
 * `attachHot` was called; before, and where nobody calls it, in an array of their own. A private number or boolean becomes an entry of
 * that array wherever it stands in the class, a public one an accessor; a column stays a field, whose assignments move what is assigned.
 */
import { parseAst } from 'rolldown/parseAst';
import { keyOf } from './sources.mjs';

/** The name of what is behind an accessor. */
const behind = (key) => `#hot_${key.replace('#', '')}`;

const walk = (node, visit, parent) => {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') walk(child, visit, node);
    }
  }
};

/**
 * `fields`: by key, what the class has in memory, in order: 'i32', 'bool' or 'col'. `children`: fields with objects, and whether they are
 * replaced. `calls`: what hot code calls. `model`: the one that the class is, if it is.
 */
export function rewriteClass(code, name, { fields, children, calls, model }) {
  const statement = parseAst(code)
    .body.map((node) => node.declaration ?? node)
    .find((node) => node.type === 'ClassDeclaration' && node.id.name === name);
  if (statement === undefined) throw new Error(`no class ${name}`);
  const changes = [];
  const insert = (at, text) => changes.push([{ start: at, end: at }, text]);
  const initial = [];
  const places = [...fields.keys()];
  for (const member of statement.body.body) {
    if (member.type !== 'PropertyDefinition' || member.static) continue;
    const key = keyOf(member.key);
    const type = fields.get(key);
    const init = member.value == null ? undefined : code.slice(member.value.start, member.value.end);
    if (type === undefined && children.get(key) === true) {
      changes.push([
        member,
        `${behind(key)} = ${init}; get ${key}() { return this.${behind(key)}; } ` +
          `set ${key}(value) { this.${behind(key)} = value; this.#hotMemory?.adopt(this.#hotName, '${name}', '${key}', value); }`,
      ]);
    }
    if (type !== 'i32' && type !== 'bool') continue;
    const at = places.indexOf(key);
    if (init !== undefined) initial[at] = type === 'bool' ? `+(${init})` : init;
    const value = type === 'bool' ? `this.#hot[${at}] !== 0` : `this.#hot[${at}]`;
    const isPrivate = key.startsWith('#');
    changes.push([
      member,
      isPrivate ? '' : `get ${key}() { return ${value}; } set ${key}(value) { this.#hot[${at}] = value; }`,
    ]);
  }
  walk(statement.body, (node, parent) => {
    if (node.type !== 'MemberExpression' || node.computed) return;
    const key = keyOf(node.property);
    const type = fields.get(key);
    const at = places.indexOf(key);
    if (type === undefined || (!key.startsWith('#') && node.object.type !== 'ThisExpression')) return;
    const isTarget =
      (parent.type === 'AssignmentExpression' && parent.left === node) || parent.type === 'UpdateExpression';
    if (type === 'col') {
      if (!isTarget) return;
      if (parent.operator !== '=') throw new Error(`${name}.${key} changes otherwise than by =`);
      insert(parent.right.start, `this.#hotPlaced(${at}, `);
      insert(parent.right.end, ')');
      return;
    }
    if (!key.startsWith('#')) return;
    if (type === 'i32' || isTarget) changes.push([node.property, `#hot[${at}]`]);
    else {
      insert(node.start, '(');
      changes.push([node.property, `#hot[${at}] !== 0)`]);
    }
  });
  // `this.#hot[3]`: what stands between object and name goes
  for (const change of changes)
    if (change[1].startsWith('#hot[')) change[0] = { start: change[0].start, end: change[0].end };
  const array = places.map((_, i) => initial[i] ?? '0').join(', ');
  const columns = places.filter((key) => fields.get(key) === 'col');
  const lines = [
    statement.superClass == null ? '' : 'super.attachHot?.(memory, name);',
    `const slots = memory.slots(name, '${name}', ${places.length}, this.constructor === ${name});`,
    'if (slots !== undefined) {',
    "if (this.#hotMemory !== undefined) throw new Error('an object of two searches');",
    // another object of the class may have been there before
    `memory.drop(slots, [${columns.map((key) => places.indexOf(key)).join(', ')}]);`,
    'slots.set(this.#hot); this.#hot = slots; this.#hotMemory = memory; this.#hotName = name;',
    ...columns.map((key) => `this.${key} = this.#hotPlaced(${places.indexOf(key)}, this.${key});`),
    '}',
    ...[...children.keys()].map((key) => `memory.adopt(name, '${name}', '${key}', this.${key});`),
    ...[...calls.values()].map((call) => `memory.import(name, '${name}', '${call.key}', ${thunk(call, places)});`),
  ];
  const head =
    ` #hot = Int32Array.of(${array}); #hotMemory; #hotName; attachHot(memory, name) { ${lines.join(' ')} }` +
    ' #hotPlaced(slot, column) { return this.#hotMemory === undefined ? column : this.#hotMemory.place(column, this.#hot, slot); }' +
    (model === undefined ? '' : ` get hotModel() { return this.constructor === ${name} ? '${model}' : undefined; }`);
  insert(statement.body.start + 1, head);
  let changed = code;
  const order = changes
    .map((change, i) => [change, i])
    .sort(([a, i], [b, j]) => b[0].start - a[0].start || b[0].end - a[0].end || j - i);
  for (const [[{ start, end }, text]] of order) {
    const newlines = '\n'.repeat(code.slice(start, end).split('\n').length - 1);
    changed = changed.slice(0, start) + text + newlines + changed.slice(end);
  }
  return changed;
}

/** What translated code calls, as a function of numbers. */
function thunk({ key, isGetter, params }, places) {
  if (key.startsWith('grow ')) {
    const column = key.slice(5);
    return `(n) => { this.${column} = this.#hotPlaced(${places.indexOf(column)}, grown(this.${column}, n)); }`;
  }
  if (isGetter) return `() => this.${key}`;
  const names = params.map((_, i) => `a${i}`);
  const values = params.map((t, i) => (t === 'bool' ? `a${i} !== 0` : `a${i}`));
  return `(${names.join(', ')}) => this.${key}(${values.join(', ')})`;
}

/**
 * After a build: writes numbers in the place of named constants in dist/ (`Kind.READ` → `0`, `NONE` → `-1`). A name is a lookup until
 * the engine has compiled the code for good, and more for it to compile; where a search takes a few tenths of a second, that is a tenth
 * of it.
 *
 * Constants are what the sources declare at the top of a module as `const NAME = number` or `const Name = { KEY: number, … } as const`.
 * The number takes as much room as the name did, so that source maps stay right; a name that is too short, or that the module declares
 * once more inside, is left alone.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

const root = fileURLToPath(new URL('../', import.meta.url));
const [, , output = join(root, 'dist'), sources = join(root, 'src')] = process.argv;

const filesIn = (folder, ending) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((file) => file.endsWith(ending) && statSync(file).isFile());

const numberOf = (node) => {
  if (node?.type === 'Literal' && typeof node.value === 'number') return node.value;
  if (node?.type !== 'UnaryExpression' || node.operator !== '-') return undefined;
  const number = numberOf(node.argument);
  return number === undefined ? undefined : -number;
};

/** The number, or the numbers by key, that a declaration stands for; undefined: it is something else. */
const constantOf = (init) => {
  const number = numberOf(init);
  if (number !== undefined) return number;
  const isTable = init?.type === 'TSAsExpression' && init.typeAnnotation.typeName?.name === 'const';
  if (!isTable || init.expression.type !== 'ObjectExpression') return undefined;
  const entries = init.expression.properties.map(({ key, value }) => [key?.name, numberOf(value)]);
  return entries.every(([key, value]) => key !== undefined && value !== undefined) ? new Map(entries) : undefined;
};

/** By source: its constants, by name; and what it passes on from other modules, as [source, name]. */
const modules = new Map();
for (const file of filesIn(sources, '.ts')) {
  const constants = new Map();
  const passedOn = new Map();
  for (const statement of parseAst(readFileSync(file, 'utf8'), { lang: 'ts' }).body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? (statement.declaration ?? statement) : statement;
    if (declaration.type === 'VariableDeclaration' && declaration.kind === 'const') {
      for (const { id, init } of declaration.declarations) {
        const constant = constantOf(init);
        if (constant !== undefined && id.type === 'Identifier') constants.set(id.name, constant);
      }
    } else if (declaration.type === 'ExportNamedDeclaration' && declaration.source?.value.startsWith('.')) {
      const from = resolve(dirname(file), declaration.source.value);
      for (const { local, exported } of declaration.specifiers) passedOn.set(exported.name, [from, local.name]);
    }
  }
  modules.set(file, { constants, passedOn });
}

const constantIn = (file, name) => {
  const found = modules.get(file);
  const constant = found?.constants.get(name);
  const other = found?.passedOn.get(name);
  return constant === undefined && other !== undefined ? constantIn(...other) : constant;
};

/** Calls `visit` for each node, with the node around it and its place there. */
const walk = (node, visit, parent, place) => {
  visit(node, parent, place);
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') walk(child, visit, node, key);
    }
  }
};

const namesIn = (pattern, into) => {
  if (pattern?.type === 'Identifier') into.push(pattern.name);
  else if (pattern?.type === 'AssignmentPattern') namesIn(pattern.left, into);
  else if (pattern?.type === 'RestElement') namesIn(pattern.argument, into);
  else if (pattern?.type === 'ArrayPattern') for (const element of pattern.elements) namesIn(element, into);
  else if (pattern?.type === 'ObjectPattern') {
    for (const property of pattern.properties) namesIn(property.value ?? property, into);
  }
};

/** All names that are declared in the module, each as often as it is. */
const declaredIn = (ast) => {
  const names = [];
  walk(ast, (node) => {
    if (node.type === 'VariableDeclarator') namesIn(node.id, names);
    else if (node.type === 'CatchClause') namesIn(node.param, names);
    else if (node.type === 'ImportDeclaration') for (const { local } of node.specifiers) names.push(local.name);
    else if (/Function|Class/.test(node.type)) {
      if (node.id != null) names.push(node.id.name);
      for (const param of node.params ?? []) namesIn(param, names);
    }
  });
  return names;
};

/** Whether an identifier there is a value that is read. */
const isRead = (parent, place) => {
  if (/^(Import|Export)/.test(parent.type) || parent.type === 'VariableDeclarator') return place === 'init';
  if (parent.type === 'Property') return place === 'value' && !parent.shorthand;
  if (parent.type === 'MemberExpression') return place === 'property' && parent.computed;
  if (/Definition$/.test(parent.type)) return place === 'value';
  return (
    !/Pattern$|^(Labeled|Break|Continue|Update|Assignment|RestElement|Class|MetaProperty)/.test(parent.type) ||
    place === 'right'
  );
};

for (const file of filesIn(output, '.js')) {
  const source = join(sources, relative(output, file)).replace(/\.js$/, '.ts');
  if (!existsSync(source)) continue;
  const code = readFileSync(file, 'utf8');
  const ast = parseAst(code);
  const known = new Map(modules.get(source).constants);
  for (const node of ast.body) {
    if (node.type !== 'ImportDeclaration' || !node.source.value.startsWith('.')) continue;
    const from = resolve(dirname(source), node.source.value).replace(/\.js$/, '.ts');
    for (const { imported, local } of node.specifiers) {
      const constant = imported === undefined ? undefined : constantIn(from, imported.name);
      if (constant !== undefined) known.set(local.name, constant);
    }
  }
  const declared = declaredIn(ast);
  for (const name of known.keys()) if (declared.filter((other) => other === name).length !== 1) known.delete(name);
  if (known.size === 0) continue;
  const changes = [];
  walk(ast, (node, parent, place) => {
    const isKey = node.type === 'MemberExpression' && !node.computed && node.object.type === 'Identifier';
    const name = isKey ? node.object.name : node.type === 'Identifier' && isRead(parent, place) ? node.name : undefined;
    const constant = known.get(name);
    const value = isKey ? (constant instanceof Map ? constant.get(node.property.name) : undefined) : constant;
    if (typeof value !== 'number') return;
    const text = isKey ? `${name}.${node.property.name}` : name;
    const number = String(value);
    if (code.slice(node.start, node.end) !== text) return; // `Name?.KEY`, or on two lines
    if (number.length > text.length || /[-+]/.test(code[node.start - 1])) return;
    changes.push([node.start, number.padEnd(text.length)]);
  });
  let changed = code;
  for (const [start, text] of changes) changed = changed.slice(0, start) + text + changed.slice(start + text.length);
  if (changed !== code) writeFileSync(file, changed);
}

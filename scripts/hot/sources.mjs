/** The TypeScript sources as the compiler of hot code sees them: classes, functions, constants and types, by module. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const modules = new Map();

export const numberOf = (node) => {
  if (node?.type === 'Literal' && typeof node.value === 'number') return node.value;
  if (node?.type !== 'UnaryExpression' || node.operator !== '-') return undefined;
  const number = numberOf(node.argument);
  return number === undefined ? undefined : -number;
};

/** `#x` or `x`. */
export const keyOf = ({ type, name }) => (type === 'PrivateIdentifier' ? `#${name}` : name);

const tableOf = (init) => {
  const expression = init?.type === 'TSAsExpression' ? init.expression : undefined;
  if (expression?.type !== 'ObjectExpression') return undefined;
  const entries = expression.properties.map(({ key, value }) => [key?.name, numberOf(value)]);
  return entries.every(([, value]) => value !== undefined) ? new Map(entries) : undefined;
};

const classOf = (node, module) => {
  const members = new Map();
  for (const member of node.body.body) {
    if (member.static || member.type === 'TSIndexSignature') continue;
    const key = keyOf(member.key);
    if (member.type === 'PropertyDefinition') {
      const isFunction = member.value?.type === 'ArrowFunctionExpression';
      members.set(key, isFunction ? { is: 'method', decl: member.value } : { is: 'field', node: member });
    } else if (member.kind === 'method' || member.kind === 'get') {
      if (member.value.body != null) members.set(key, { is: member.kind, decl: member.value });
    } else if (member.kind === 'constructor') {
      // `this.x = (a, b) => …`: a method
      for (const { expression } of member.value.body.body) {
        const isFunction =
          expression?.type === 'AssignmentExpression' && expression.right.type === 'ArrowFunctionExpression';
        if (isFunction) members.set(`=${keyOf(expression.left.property)}`, { is: 'method', decl: expression.right });
      }
    }
  }
  for (const [key, method] of members) {
    if (!key.startsWith('=')) continue;
    members.delete(key);
    members.set(key.slice(1), method);
  }
  const cls = { name: node.id.name, module, members, parent: node.superClass?.name };
  for (const member of members.values()) member.cls = cls;
  return cls;
};

export function moduleOf(file) {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const module = {
    file,
    constants: new Map(),
    /** Constants that are made of others, as expressions. */
    computed: new Map(),
    functions: new Map(),
    classes: new Map(),
    aliases: new Map(),
    imports: new Map(),
  };
  modules.set(file, module);
  const { body } = parseAst(readFileSync(file, 'utf8'), { lang: 'ts' });
  for (const statement of body) {
    const fromFile = statement.source?.value?.startsWith('.')
      ? resolve(dirname(file), statement.source.value)
      : undefined;
    if (fromFile !== undefined && existsSync(fromFile)) {
      for (const { local, imported, exported } of statement.specifiers ?? []) {
        if (exported !== undefined) module.imports.set(exported.name, [fromFile, local.name]);
        else if (imported !== undefined) module.imports.set(local.name, [fromFile, imported.name]);
      }
      continue;
    }
    const declaration = /^Export/.test(statement.type) ? statement.declaration : statement;
    if (declaration == null) continue;
    if (declaration.type === 'ClassDeclaration') module.classes.set(declaration.id.name, classOf(declaration, module));
    else if (declaration.type === 'FunctionDeclaration') module.functions.set(declaration.id.name, declaration);
    else if (declaration.type === 'TSTypeAliasDeclaration')
      module.aliases.set(declaration.id.name, declaration.typeAnnotation);
    else if (declaration.type === 'VariableDeclaration') {
      for (const { id, init } of declaration.declarations) {
        const constant = numberOf(init) ?? tableOf(init);
        if (constant !== undefined) module.constants.set(id.name, constant);
        else if (init?.type === 'BinaryExpression') module.computed.set(id.name, init);
      }
    }
  }
  return module;
}

/** What a name of a module stands for, as `[kind, what, module]`: 'constants', 'functions', 'classes' or 'aliases'; undefined: none of these. */
export function meaningOf(module, name) {
  for (const kind of ['constants', 'functions', 'classes', 'aliases']) {
    const found = module[kind].get(name);
    if (found !== undefined) return [kind, found, module];
  }
  const computed = module.computed.has(name) ? computedOf(module, module.computed.get(name)) : undefined;
  if (computed !== undefined) return ['constants', computed, module];
  const other = module.imports.get(name);
  return other === undefined ? undefined : meaningOf(moduleOf(other[0]), other[1]);
}

const operations = { '|': (a, b) => a | b, '+': (a, b) => a + b, '-': (a, b) => a - b, '<<': (a, b) => a << b };

function computedOf(module, node) {
  const constantNamed = (name) => {
    const [kind, what] = meaningOf(module, name) ?? [];
    return kind === 'constants' ? what : undefined;
  };
  if (node.type === 'Identifier') return constantNamed(node.name);
  if (node.type === 'MemberExpression' && !node.computed)
    return constantNamed(node.object.name)?.get?.(node.property.name);
  if (node.type !== 'BinaryExpression' || operations[node.operator] === undefined) return numberOf(node);
  const [a, b] = [computedOf(module, node.left), computedOf(module, node.right)];
  return typeof a === 'number' && typeof b === 'number' ? operations[node.operator](a, b) : undefined;
}

/** A member as it is seen in an object of the class: that of the class itself, or of the nearest it extends. */
export function memberOf(cls, key) {
  for (let c = cls; c !== undefined; c = parentOf(c)) {
    const member = c.members.get(key);
    if (member !== undefined) return member;
  }
  return undefined;
}

export function parentOf(cls) {
  if (cls.parent === undefined) return undefined;
  const [kind, parent] = meaningOf(cls.module, cls.parent) ?? [];
  return kind === 'classes' ? parent : undefined;
}

/** The sources that were looked at. */
export const loadedFiles = () => [...modules.keys()].sort();

/**
 * Translates methods of hot classes, from the TypeScript that they are written in, to WebAssembly text.
 *
 * All objects that hot code works on are known beforehand: one search has one graph, one model, one table of behaviours. So an
 * object is no value here but a name; a method is translated once for each object that it is called of (and once for each object
 * that it gets), and a field is a place in memory. Numbers and booleans are i32; a column is the address of its first entry,
 * 8 bytes before which stands its length.
 *
 * What cannot be translated stays JavaScript, and is called from there, if it takes and returns no more than numbers: both work
 * on the same memory. So the subset need not be all of what a class does, only what must be fast.
 */
import { keyOf, meaningOf, memberOf, numberOf, parentOf } from './sources.mjs';

export class Unsupported extends Error {}

const fail = (node, what) => {
  throw new Unsupported(`${what ?? node.type} at ${node.start}`);
};

const number = (c) => ({ t: 'i32', c: c | 0, w: `(i32.const ${c | 0})` });
const truth = (c) => ({ t: 'bool', c: c ? 1 : 0, w: `(i32.const ${c ? 1 : 0})` });
const nothing = { t: 'undefined' };
/** Of a field that is assumed not to be undefined: more is not known. */
export const defined = { t: 'something' };
const isPlain = (t) => t === 'i32' || t === 'bool';

const binary = {
  '+': ['add', (a, b) => a + b],
  '-': ['sub', (a, b) => a - b],
  '*': ['mul', Math.imul],
  '&': ['and', (a, b) => a & b],
  '|': ['or', (a, b) => a | b],
  '^': ['xor', (a, b) => a ^ b],
  '<<': ['shl', (a, b) => a << b],
  '>>': ['shr_s', (a, b) => a >> b],
  '>>>': ['shr_u', (a, b) => a >>> b],
  '%': ['rem_s', (a, b) => a % b],
};
const comparison = {
  '<': ['lt_s', (a, b) => a < b],
  '>': ['gt_s', (a, b) => a > b],
  '<=': ['le_s', (a, b) => a <= b],
  '>=': ['ge_s', (a, b) => a >= b],
  '===': ['eq', (a, b) => a === b],
  '!==': ['ne', (a, b) => a !== b],
};

/** Of a parameter; one that is taken apart has none of its own. */
const nameOf = ({ name }, i) => name ?? `parameter ${i}`;

/** One module: a root object, and all that its hot methods come to. */
export class Translation {
  functions = new Map();
  /** By name: `{ name, cls }`. */
  objects = new Map();
  /** By class: the fields that hot code uses, as `field → 'i32' | 'bool' | 'col'`. */
  fields = new Map();
  /** Fields that hold objects: `[owner, class, field, object]`. */
  children = [];
  /** What stays JavaScript: `name → { obj, cls, key, decl, params, result }`. */
  imports = new Map();
  refused = new Map();

  /**
   * `singletons`: type name → [object, class]. `bound`: 'object.field' → object. `assumed`: 'object.field' → a number, a boolean or
   * undefined, where the search is one that hot code is for.
   */
  constructor({ singletons, bound, assumed, checked = false }) {
    this.singletons = singletons;
    this.bound = bound;
    this.assumed = assumed;
    this.checked = checked;
    for (const [name, cls] of Object.values(singletons)) this.object(name, cls);
  }

  object(name, cls) {
    let object = this.objects.get(name);
    if (object === undefined) {
      object = { name, cls };
      this.objects.set(name, object);
    }
    return object;
  }

  typeOf(module, annotation) {
    const node = annotation?.type === 'TSTypeAnnotation' ? annotation.typeAnnotation : annotation;
    switch (node?.type) {
      case 'TSNumberKeyword':
        return 'i32';
      case 'TSBooleanKeyword':
        return 'bool';
      case 'TSVoidKeyword':
        return 'void';
      case 'TSTypeReference': {
        const { name } = node.typeName;
        if (name === 'Column') return 'col';
        if (this.singletons[name] !== undefined) return { type: name };
        const [kind, found, from] = meaningOf(module, name) ?? [];
        if (kind === 'constants' && found instanceof Map) return 'i32'; // one of a table
        if (kind === 'aliases') return this.typeOf(from, found);
        return kind === 'classes' ? { type: name, cls: found } : 'other';
      }
      default:
        return 'other';
    }
  }

  typeOfField({ node, cls }) {
    if (node.typeAnnotation != null) return this.typeOf(cls.module, node.typeAnnotation);
    const init = node.value;
    if (init?.type === 'NewExpression')
      return this.typeOf(cls.module, { type: 'TSTypeReference', typeName: init.callee });
    if (init?.type === 'Literal' && typeof init.value === 'boolean') return 'bool';
    const isNumber =
      numberOf(init) !== undefined ||
      (init?.type === 'Identifier' && meaningOf(cls.module, init.name)?.[0] === 'constants');
    return isNumber ? 'i32' : 'other';
  }

  /** The object that a field of an object holds. */
  child(owner, key, member, type) {
    const own = `${owner.name}.${key}`;
    const name = this.bound[own] ?? this.singletons[type.type]?.[0] ?? own;
    const cls = this.singletons[type.type]?.[1] ?? type.cls;
    const object = this.objects.get(name) ?? this.object(name, cls);
    if (!this.children.some(([o, c, k]) => o === owner.name && c === member.cls.name && k === key)) {
      this.children.push([owner.name, member.cls.name, key, object.name]);
    }
    return object;
  }

  place(owner, key, member, type) {
    const { name } = member.cls;
    let fields = this.fields.get(name);
    if (fields === undefined) {
      fields = new Map();
      this.fields.set(name, fields);
    }
    fields.set(key, type);
    return `@${owner.name}@${name}@${key}@`;
  }

  /** The function for a method of an object, or for one of no object; `given`: objects by parameter. */
  function(object, cls, key, decl, module, given = new Map(), args = decl.params.length) {
    const name = `${object?.name ?? module.file.replace(/^.*\//, '')}.${cls?.name ?? ''}.${key}(${[...given.values()].map((o) => o.name)})`;
    let found = this.functions.get(name);
    if (found !== undefined) {
      if (found.state === 'failed') throw new Unsupported(`calls ${name}`);
      return found;
    }
    found = { name: `$${name.replace(/[^\w.#]/g, '_').replaceAll('#', '!')}`, state: 'begun', object, cls, key, decl };
    this.functions.set(name, found);
    this.#signature(found, module, given, args);
    try {
      if (found.isPartial) throw new Unsupported('has a parameter that is no number');
      if (this.refused.has(`${cls?.name}.${key}`)) throw new Unsupported(this.refused.get(`${cls?.name}.${key}`));
      new FunctionTranslation(this, found, module, given).translate();
      found.state = 'done';
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      found.why = error.message;
      const canBeCalled =
        object !== undefined &&
        given.size === 0 &&
        found.params.every(({ t }) => isPlain(t) || t === 'undefined') &&
        (isPlain(found.result) || found.result === 'void');
      found.state = canBeCalled ? 'import' : 'failed';
      if (!canBeCalled) throw new Unsupported(`calls ${name} (${error.message})`);
    }
    return found;
  }

  #signature(found, module, given, args) {
    const { decl } = found;
    found.params = [];
    for (const [i, param] of decl.params.entries()) {
      const isDefault = param.type === 'AssignmentPattern';
      const id = isDefault ? param.left : { ...param, name: nameOf(param, i) };
      const isUntyped = id.typeAnnotation == null && decl.type === 'ArrowFunctionExpression'; // its type is that of its field
      let t = isUntyped ? 'i32' : this.typeOf(module, id.typeAnnotation);
      if (isDefault && id.typeAnnotation == null) {
        t = typeof param.right.value === 'boolean' ? 'bool' : 'i32';
      }
      if (i >= args && isDefault && t === 'other') {
        found.isPartial = true; // left for JavaScript to fill in
        break;
      }
      // what may be left out and is no number is left out: a call with it is not translated
      if (param.optional === true && t === 'other') t = 'undefined';
      found.params.push({
        name: id.name,
        t: given.has(id.name) ? 'object' : t,
        fallback: isDefault ? param.right : undefined,
      });
    }
    found.result =
      decl.returnType == null ? (decl.expression ? 'bool' : 'other') : this.typeOf(module, decl.returnType);
  }

  /** The functions that are called from `root`, itself included. */
  #reachable(root) {
    const byName = new Map([...this.functions.values()].map((f) => [f.name, f]));
    const found = new Set();
    const todo = [root];
    for (let f = todo.pop(); f !== undefined; f = todo.pop()) {
      if (found.has(f)) continue;
      found.add(f);
      if (f.state !== 'done') continue;
      for (const [, name] of f.text.matchAll(/\(call (\S+?)[ )]/g)) if (byName.has(name)) todo.push(byName.get(name));
    }
    return found;
  }

  /** All that `root` comes to, as text with places by name; and `imports`, as [object, class, what]. */
  textFrom(root) {
    const imports = [];
    const bodies = [];
    const calls = [];
    const functions = this.#reachable(root);
    for (const f of functions) {
      const numbers = f.params.filter(({ t }) => t !== 'object' && t !== 'undefined');
      const params = numbers.map(() => '(param i32)').join(' ');
      const result = f.result === 'void' ? '' : '(result i32)';
      if (f.state === 'import') {
        imports.push(`(import "js" "${f.object.name}:${f.cls.name}:${f.key}" (func ${f.name} ${params} ${result}))`);
        calls.push({
          cls: f.cls.name,
          key: f.key,
          isGetter: f.cls.members.get(f.key).is === 'get',
          params: numbers.map(({ t }) => t),
        });
      } else if (f.state === 'done') bodies.push(f.text);
      else if (f.state === 'begun') throw new Error(`${f.name} is not done`);
    }
    const text = bodies.join('\n');
    for (const [name, { object, cls, key }] of this.growths) {
      if (!text.includes(`(call ${name} `)) continue;
      imports.push(`(import "js" "${object}:${cls}:grow ${key}" (func ${name} (param i32)))`);
      calls.push({ cls, key: `grow ${key}` });
    }
    return { imports, text, calls };
  }

  /** All classes that it has come to, by name. */
  classes() {
    const found = new Map();
    const add = (cls) => {
      if (cls === undefined) return;
      found.set(cls.name, cls);
      add(parentOf(cls));
    };
    for (const { cls } of this.functions.values()) add(cls);
    for (const { cls } of this.objects.values()) add(cls);
    return found;
  }

  /** Columns that hot code lets grow. */
  growths = new Map();
}

class FunctionTranslation {
  #all;
  #f;
  #module;
  #given;
  #scopes = [new Map()];
  #locals = [];
  /** Where `break` and `continue` lead. */
  #exits = [];
  #labels = 0;

  constructor(all, f, module, given) {
    this.#all = all;
    this.#f = f;
    this.#module = module;
    this.#given = given;
  }

  translate() {
    const { decl, params, result } = this.#f;
    if (!isPlain(result) && result !== 'col' && result !== 'void') throw new Unsupported(`returns what is no number`);
    const texts = [];
    const early = [];
    for (const [at, { name, t }] of params.entries()) {
      if (t === 'object') {
        const object = { t: 'object', object: this.#given.get(name) };
        const { properties } = decl.params[at];
        if (properties === undefined) this.#scopes[0].set(name, object);
        else
          early.push(
            ...properties.flatMap(({ key, value }) =>
              this.#bind(value.name, this.#member(object, keyOf(key), value), 'const'),
            ),
          );
        continue;
      }
      if (t === 'undefined') {
        this.#scopes[0].set(name, nothing);
        continue;
      }
      if (!isPlain(t) && t !== 'col') throw new Unsupported(`takes ${name}, which is no number`);
      const id = `$p${texts.length}`;
      texts.push(`(param ${id} i32)`);
      this.#scopes[0].set(name, { t, local: id });
    }
    let body;
    if (decl.body.type === 'BlockStatement') body = this.#block(decl.body.body);
    else {
      const value = this.#expression(decl.body);
      body = [value.w];
      this.#f.result = value.t;
    }
    const end = result === 'void' || decl.body.type !== 'BlockStatement' ? '' : '(unreachable)';
    const head = `(func ${this.#f.name} ${texts.join(' ')} ${result === 'void' ? '' : '(result i32)'}`;
    this.#f.text = `${head} ${this.#locals.map((id) => `(local ${id} i32)`).join(' ')}\n  ${[...early, ...body].join('\n  ')} ${end})`;
  }

  // ---------------------------------------------------------------------------------------------------------- statements

  #block(statements) {
    this.#scopes.push(new Map());
    const texts = [];
    for (const statement of statements) {
      texts.push(...this.#statement(statement));
      if (texts.at(-1)?.startsWith('(return')) break; // also of a condition that is known: what follows is for other searches
    }
    this.#scopes.pop();
    return texts;
  }

  #statement(node) {
    switch (node.type) {
      case 'BlockStatement':
        return this.#block(node.body);
      case 'EmptyStatement':
        return [];
      case 'ExpressionStatement':
        return this.#effect(node.expression);
      case 'VariableDeclaration':
        return node.declarations.flatMap((declaration) => this.#declare(declaration, node.kind));
      case 'ReturnStatement':
        return [node.argument === null ? '(return)' : `(return ${this.#value(node.argument).w})`];
      case 'IfStatement': {
        const test = this.#truth(node.test);
        if (test.c !== undefined) {
          const taken = test.c ? node.consequent : node.alternate;
          return taken == null ? [] : this.#block([taken]);
        }
        const then = `(then ${this.#block([node.consequent]).join(' ')})`;
        const otherwise = node.alternate == null ? '' : `(else ${this.#block([node.alternate]).join(' ')})`;
        return [`(if ${test.w} ${then} ${otherwise})`];
      }
      case 'ForStatement':
        return this.#for(node);
      case 'WhileStatement':
        return this.#loop(undefined, node.test, undefined, node.body);
      case 'SwitchStatement':
        return this.#switch(node);
      case 'BreakStatement':
        if (node.label != null) fail(node);
        return [`(br ${this.#exits.at(-1).out})`];
      case 'ContinueStatement':
        if (node.label != null) fail(node);
        return [`(br ${this.#exits.findLast(({ again }) => again !== undefined).again})`];
      default:
        return fail(node);
    }
  }

  #for(node) {
    this.#scopes.push(new Map());
    const init =
      node.init == null
        ? []
        : node.init.type === 'VariableDeclaration'
          ? this.#statement(node.init)
          : this.#effect(node.init);
    const texts = [...init, ...this.#loop(node, node.test, node.update, node.body)];
    this.#scopes.pop();
    return texts;
  }

  #loop(_node, test, update, body) {
    const id = this.#labels++;
    const out = `$out${id}`;
    const again = `$next${id}`;
    const top = `$top${id}`;
    const condition = test == null ? '' : `(br_if ${out} (i32.eqz ${this.#truth(test).w}))`;
    this.#exits.push({ out, again });
    const inner = this.#block([body]).join(' ');
    this.#exits.pop();
    const step = update == null ? '' : this.#effect(update).join(' ');
    return [`(block ${out} (loop ${top} ${condition} (block ${again} ${inner}) ${step} (br ${top})))`];
  }

  #switch(node) {
    const id = this.#labels++;
    const out = `$out${id}`;
    const on = this.#local();
    const value = this.#value(node.discriminant);
    const tests = [];
    let rest = out;
    for (const [i, { test }] of node.cases.entries()) {
      if (test === null) rest = `$case${id}_${i}`;
      else tests.push(`(br_if $case${id}_${i} (i32.eq (local.get ${on}) ${this.#value(test).w}))`);
    }
    this.#exits.push({ out });
    let text = `(local.set ${on} ${value.w}) ${tests.join(' ')} (br ${rest})`;
    this.#scopes.push(new Map());
    for (const [i, { consequent }] of node.cases.entries()) {
      const body = consequent.flatMap((statement) => this.#statement(statement)).join(' ');
      text = `(block $case${id}_${i} ${text}) ${body}`;
    }
    this.#scopes.pop();
    this.#exits.pop();
    return [`(block ${out} ${text})`];
  }

  #declare({ id, init }, kind) {
    if (id.type === 'ObjectPattern') {
      const source = this.#expression(init);
      return id.properties.flatMap(({ key, value, type }) => {
        if (type !== 'Property' || value.type !== 'Identifier') fail(id);
        return this.#bind(value.name, this.#member(source, keyOf(key), id), 'const');
      });
    }
    if (init == null) {
      const local = this.#local();
      this.#scopes.at(-1).set(id.name, { t: this.#all.typeOf(this.#module, id.typeAnnotation), local });
      return [];
    }
    return this.#bind(id.name, this.#expression(init), kind);
  }

  #bind(name, value, kind) {
    if (!isPlain(value.t) && value.t !== 'col') {
      if (kind !== 'const') throw new Unsupported(`${name} varies, and is no number`);
      this.#scopes.at(-1).set(name, value);
      return [];
    }
    if (kind === 'const' && value.c !== undefined) {
      this.#scopes.at(-1).set(name, value);
      return [];
    }
    const local = this.#local();
    this.#scopes.at(-1).set(name, { t: value.t, local });
    return [`(local.set ${local} ${value.w})`];
  }

  #local() {
    const id = `$l${this.#locals.length}`;
    this.#locals.push(id);
    return id;
  }

  // --------------------------------------------------------------------------------------------------------- expressions

  /** An expression for what it does. */
  #effect(node) {
    if (node.type === 'AssignmentExpression') return this.#assign(node, false);
    if (node.type === 'UpdateExpression') return this.#update(node, false);
    if (node.type === 'SequenceExpression') return node.expressions.flatMap((expression) => this.#effect(expression));
    const value = this.#expression(node);
    if (value.t === 'void') return [value.w];
    if (value.t === 'undefined') return [];
    if (value.w === undefined) fail(node);
    return [`(drop ${value.w})`];
  }

  #value(node) {
    const value = this.#expression(node);
    if (!isPlain(value.t) && value.t !== 'col') fail(node, `a value that is no number (${value.t})`);
    return value;
  }

  #truth(node) {
    const value = this.#expression(node);
    if (value.t !== 'bool') fail(node, `a condition that is no boolean (${value.t})`);
    return value;
  }

  #expression(node) {
    switch (node.type) {
      case 'TSNonNullExpression':
      case 'TSAsExpression':
      case 'ParenthesizedExpression':
        return this.#expression(node.expression);
      case 'ChainExpression':
        return this.#expression(node.expression);
      case 'Literal':
        if (typeof node.value === 'number' && Number.isInteger(node.value)) return number(node.value);
        return typeof node.value === 'boolean' ? truth(node.value) : fail(node);
      case 'ThisExpression':
        return { t: 'object', object: this.#f.object };
      case 'Identifier':
        return this.#identifier(node);
      case 'MemberExpression':
        return this.#memberExpression(node);
      case 'CallExpression':
        return this.#call(node);
      case 'UnaryExpression':
        return this.#unary(node);
      case 'BinaryExpression':
        return this.#binary(node.operator, this.#expression(node.left), this.#expression(node.right), node);
      case 'LogicalExpression':
        return this.#logical(node.operator, this.#expression(node.left), () => this.#expression(node.right), node);
      case 'ConditionalExpression': {
        const test = this.#truth(node.test);
        if (test.c !== undefined) return this.#expression(test.c ? node.consequent : node.alternate);
        const a = this.#value(node.consequent);
        const b = this.#value(node.alternate);
        if (a.t !== b.t) fail(node, 'two types');
        return { t: a.t, w: `(if (result i32) ${test.w} (then ${a.w}) (else ${b.w}))` };
      }
      case 'AssignmentExpression':
        return this.#assign(node, true);
      case 'UpdateExpression':
        return this.#update(node, true);
      default:
        return fail(node);
    }
  }

  #identifier(node) {
    const { name } = node;
    if (name === 'undefined') return nothing;
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const found = this.#scopes[i].get(name);
      if (found !== undefined)
        return found.local === undefined ? found : { t: found.t, w: `(local.get ${found.local})`, local: found.local };
    }
    const [kind, what, module] = meaningOf(this.#module, name) ?? [];
    if (kind === 'constants') return what instanceof Map ? { t: 'table', table: what } : number(what);
    if (kind === 'functions') return { t: 'function', decl: what, module };
    return fail(node, `the name ${name}`);
  }

  #memberExpression(node) {
    if (node.object.type === 'Super') fail(node);
    const source = this.#expression(node.object);
    if (node.computed) {
      if (source.t !== 'col') fail(node, `an element of what is no column (${source.t})`);
      return { t: 'i32', w: `(i32.load ${this.#entry(source, this.#value(node.property))})` };
    }
    return this.#member(source, keyOf(node.property), node);
  }

  #entry(column, index) {
    if (this.#all.checked) return `(call $checked ${column.w} ${index.w})`;
    if (index.c !== undefined && index.c === 0) return column.w;
    return `(i32.add ${column.w} (i32.shl ${index.w} (i32.const 2)))`;
  }

  #member(source, key, node) {
    if (source.t === 'table') return source.table.has(key) ? number(source.table.get(key)) : fail(node, `no ${key}`);
    if (source.t === 'col')
      return key === 'length'
        ? { t: 'i32', w: `(i32.load (i32.sub ${source.w} (i32.const 8)))` }
        : { t: 'of column', column: source, key };
    if (source.t !== 'object') return fail(node, `${key} of ${source.t}`);
    const { object } = source;
    const path = `${object.name}.${key}`;
    if (path in this.#all.assumed) {
      const value = this.#all.assumed[path];
      if (value === undefined || value === defined) return value ?? nothing;
      return typeof value === 'boolean' ? truth(value) : number(value);
    }
    if (object.cls === undefined) return fail(node, `${key} of ${object.name}`);
    // private names are those of the class that the code is in
    const member = key.startsWith('#') ? this.#f.cls?.members.get(key) : memberOf(object.cls, key);
    if (member === undefined) return nothing;
    if (member.is === 'method') return { t: 'method', object, member, key };
    if (member.is === 'get') return this.#callMethod(object, member, key, [], node);
    const { readonly, value: init } = member.node;
    if (readonly && init?.type === 'Literal' && typeof init.value === 'boolean') return truth(init.value);
    const type = this.#all.typeOfField(member);
    if (typeof type === 'object') return { t: 'object', object: this.#all.child(object, key, member, type) };
    if (type === 'other') return fail(node, `the field ${path}`);
    return { t: type, w: `(i32.load offset=${this.#all.place(object, key, member, type)} (i32.const 0))` };
  }

  #unary(node) {
    const value = this.#expression(node.argument);
    switch (node.operator) {
      case '!':
        if (value.t !== 'bool') fail(node, `not of ${value.t}`);
        return value.c === undefined ? { t: 'bool', w: `(i32.eqz ${value.w})` } : truth(!value.c);
      case '-':
        if (value.t !== 'i32') fail(node);
        return value.c === undefined ? { t: 'i32', w: `(i32.sub (i32.const 0) ${value.w})` } : number(-value.c);
      case '~':
        if (value.t !== 'i32') fail(node);
        return { t: 'i32', w: `(i32.xor ${value.w} (i32.const -1))` };
      default:
        return fail(node, node.operator);
    }
  }

  #binary(operator, a, b, node) {
    const compare = comparison[operator];
    if (compare !== undefined && (a.t === 'undefined' || b.t === 'undefined')) {
      if (operator !== '===' && operator !== '!==') fail(node);
      if ([a.t, b.t].some((t) => t === 'i32' || t === 'col')) fail(node, 'a number that may be undefined');
      return truth((a.t === b.t) === (operator === '==='));
    }
    if (a.t !== b.t || (!isPlain(a.t) && a.t !== 'col')) return fail(node, `${a.t} ${operator} ${b.t}`);
    const [name, fold] = compare ?? binary[operator] ?? fail(node, operator);
    if (compare === undefined && a.t !== 'i32') fail(node, `${a.t} ${operator} ${b.t}`);
    if (a.c !== undefined && b.c !== undefined)
      return compare === undefined ? number(fold(a.c, b.c)) : truth(fold(a.c, b.c));
    return { t: compare === undefined ? 'i32' : 'bool', w: `(i32.${name} ${a.w} ${b.w})` };
  }

  #logical(operator, a, right, node) {
    if (operator === '??') {
      if (a.t === 'i32' || a.t === 'col') return fail(node, 'a number that may be undefined');
      return a.t === 'undefined' ? right() : a;
    }
    if (a.t !== 'bool') return fail(node, `${a.t} ${operator}`);
    const isAnd = operator === '&&';
    if (a.c !== undefined) return (a.c === 1) === isAnd ? right() : a;
    const b = right();
    if (b.t !== 'bool') return fail(node, `${operator} ${b.t}`);
    const [then, otherwise] = isAnd ? [b.w, '(i32.const 0)'] : ['(i32.const 1)', b.w];
    return { t: 'bool', w: `(if (result i32) ${a.w} (then ${then}) (else ${otherwise}))` };
  }

  // --------------------------------------------------------------------------------------------------------- assignments

  /** How to get and set what is on the left: `{ before, get, set }`, with what must be done once before both. */
  #target(node) {
    if (node.type === 'TSNonNullExpression') return this.#target(node.expression);
    if (node.type === 'Identifier') {
      const { t, local } = this.#identifier(node);
      if (local === undefined) fail(node);
      return { t, before: [], get: `(local.get ${local})`, set: (w) => `(local.set ${local} ${w})` };
    }
    if (node.type !== 'MemberExpression') fail(node);
    if (node.computed) {
      const column = this.#expression(node.object);
      if (column.t !== 'col') fail(node);
      const at = this.#local();
      const address = this.#entry(column, this.#value(node.property));
      return {
        t: 'i32',
        before: [`(local.set ${at} ${address})`],
        get: `(i32.load (local.get ${at}))`,
        set: (w) => `(i32.store (local.get ${at}) ${w})`,
      };
    }
    const source = this.#expression(node.object);
    const key = keyOf(node.property);
    if (source.t !== 'object') fail(node);
    const { object } = source;
    const member = key.startsWith('#') ? this.#f.cls?.members.get(key) : object.cls && memberOf(object.cls, key);
    if (member?.is !== 'field' || `${object.name}.${key}` in this.#all.assumed)
      fail(node, `a change of ${object.name}.${key}`);
    const type = this.#all.typeOfField(member);
    if (type === 'col') return { t: type, field: { object, key, member } };
    if (!isPlain(type)) fail(node, `a change of ${object.name}.${key}`);
    const place = this.#all.place(object, key, member, type);
    return {
      t: type,
      before: [],
      get: `(i32.load offset=${place} (i32.const 0))`,
      set: (w) => `(i32.store offset=${place} (i32.const 0) ${w})`,
    };
  }

  #assign(node, isValue) {
    const target = this.#target(node.left);
    if (target.field !== undefined) return isValue ? fail(node) : [this.#grow(target.field, node)];
    const { operator } = node;
    const a = { t: target.t, w: target.get };
    let value;
    if (operator === '=') value = this.#value(node.right);
    else if (operator === '||=' || operator === '&&=')
      value = this.#logical(operator.slice(0, 2), a, () => this.#expression(node.right), node);
    else value = this.#binary(operator.slice(0, -1), a, this.#value(node.right), node);
    if (value.t !== target.t) fail(node, `${target.t} = ${value.t}`);
    return this.#set(target, value, undefined, isValue);
  }

  #update(node, isValue) {
    const target = this.#target(node.argument);
    if (target.t !== 'i32') fail(node);
    if (isValue && !node.prefix) {
      const old = this.#local();
      const next = this.#binary(node.operator[0], { t: 'i32', w: `(local.get ${old})` }, number(1), node);
      return this.#set(target, next, old, true);
    }
    return this.#set(
      target,
      this.#binary(node.operator[0], { t: 'i32', w: target.get }, number(1), node),
      undefined,
      isValue,
    );
  }

  /** `old`: the local that keeps what was there before, if that is what the expression is. */
  #set(target, value, old, isValue) {
    if (!isValue) return [...target.before, target.set(value.w)];
    const kept = old ?? this.#local();
    const first = old === undefined ? `(local.set ${kept} ${value.w})` : `(local.set ${kept} ${target.get})`;
    const second = target.set(old === undefined ? `(local.get ${kept})` : value.w);
    return { t: target.t, w: `(block (result i32) ${target.before.join(' ')} ${first} ${second} (local.get ${kept}))` };
  }

  /** `this.column = grown(this.column, length)`: JavaScript makes room. */
  #grow({ object, key, member }, { operator, right }) {
    const isGrowth = operator === '=' && right.type === 'CallExpression' && right.callee.name === 'grown';
    const of = isGrowth ? right.arguments[0] : undefined;
    const isSame =
      of?.type === 'MemberExpression' && keyOf(of.property) === key && this.#expression(of.object).object === object;
    if (!isSame) throw new Unsupported(`a change of the column ${object.name}.${key}`);
    this.#all.place(object, key, member, 'col');
    const name = `$grow.${object.name}.${key}`.replaceAll('#', '!');
    this.#all.growths.set(name, { object: object.name, cls: member.cls.name, key });
    return `(call ${name} ${this.#value(right.arguments[1]).w})`;
  }

  // --------------------------------------------------------------------------------------------------------------- calls

  #call(node) {
    const { callee } = node;
    if (callee.type === 'MemberExpression') {
      if (callee.object.type === 'Super') {
        const key = keyOf(callee.property);
        const member = memberOf(parentOf(this.#f.cls), key);
        return this.#callMethod(this.#f.object, member, key, node.arguments, node);
      }
      if (callee.object.type === 'Identifier' && callee.object.name === 'Math')
        return this.#math(node, callee.property.name);
    }
    const target = this.#expression(callee);
    if (target.t === 'undefined' && (node.optional || callee.optional)) return nothing;
    if (target.t === 'function')
      return this.#callFunction(
        undefined,
        undefined,
        target.decl.id.name,
        target.decl,
        target.module,
        node.arguments,
        node,
      );
    if (target.t === 'of column') return this.#callOfColumn(target, node);
    if (target.t !== 'method') return fail(node, `a call of ${target.t}`);
    return this.#callMethod(target.object, target.member, target.key, node.arguments, node);
  }

  #callMethod(object, member, key, args, node) {
    return this.#callFunction(object, member.cls, key, member.decl, member.cls.module, args, node);
  }

  #callFunction(object, cls, key, decl, module, args, node) {
    const given = new Map();
    const values = args.map((arg, i) => {
      const value = this.#expression(arg);
      const param = decl.params[i];
      if (value.t === 'object' && param !== undefined) given.set(nameOf(param.left ?? param, i), value.object);
      else if (!isPlain(value.t) && value.t !== 'col' && value.t !== 'undefined')
        fail(arg, `the argument ${arg.type} (${value.t})`);
      return value;
    });
    const f = this.#all.function(object, cls, key, decl, module, given, args.length);
    const texts = [];
    const kept = [];
    for (const [i, { t, fallback }] of f.params.entries()) {
      if (t === 'object') continue;
      let value = values[i];
      if (t === 'undefined') {
        if (value !== undefined && value.t !== t) fail(node, `${value.t} for what is left out`);
        continue;
      }
      if (value === undefined) {
        if (fallback === undefined) fail(node, 'a missing argument');
        value = this.#fallback(fallback, f, values, module, kept, texts);
      }
      if (value.t !== t) fail(node, `${value.t} for ${t}`);
      texts.push(value.w);
    }
    return { t: f.result, w: `(call ${f.name} ${texts.join(' ')})` };
  }

  #fallback(node, f, values, module, _kept, texts) {
    const constant = numberOf(node) ?? (node.type === 'Identifier' ? meaningOf(module, node.name) : undefined);
    if (typeof constant === 'number') return number(constant);
    if (typeof node.value === 'boolean') return truth(node.value);
    if (Array.isArray(constant) && constant[0] === 'constants') return number(constant[1]);
    // an earlier parameter: its argument is kept
    const at = f.params.findIndex(({ name }) => name === node.name);
    if (at < 0 || values[at] === undefined) fail(node, 'a fallback');
    const before = f.params.slice(0, at).filter(({ t }) => t !== 'object' && t !== 'undefined').length;
    const local = this.#local();
    texts[before] = `(local.tee ${local} ${texts[before]})`;
    return { t: f.params[at].t, w: `(local.get ${local})` };
  }

  #math(node, name) {
    if (node.arguments.length !== 2) return fail(node, `Math.${name} of other than two`);
    const [a, b] = node.arguments.map((arg) => this.#value(arg));
    if (name === 'imul') return { t: 'i32', w: `(i32.mul ${a.w} ${b.w})` };
    if (name !== 'max' && name !== 'min') return fail(node, `Math.${name}`);
    const [x, y] = [this.#local(), this.#local()];
    const compare = name === 'max' ? 'i32.gt_s' : 'i32.lt_s';
    return {
      t: 'i32',
      w: `(select (local.tee ${x} ${a.w}) (local.tee ${y} ${b.w}) (${compare} (local.get ${x}) (local.get ${y})))`,
    };
  }

  #callOfColumn({ column, key }, node) {
    if (key === 'fill') return this.#fill(column, node);
    if (key !== 'copyWithin' || node.arguments.length !== 3) return fail(node, `${key} of a column`);
    const [into, from, to] = node.arguments.map((arg) => this.#value(arg).w);
    const bytes = (w) => `(i32.shl ${w} (i32.const 2))`;
    const at = (w) => `(i32.add ${column.w} ${bytes(w)})`;
    return { t: 'void', w: `(memory.copy ${at(into)} ${at(from)} ${bytes(`(i32.sub ${to} ${from})`)})` };
  }

  /** With 0 or -1, whose bytes are all alike. */
  #fill(column, node) {
    const [value, from, to] = node.arguments.map((arg) => this.#value(arg));
    if (value.c !== 0 && value.c !== -1) return fail(node, 'fill');
    const local = this.#local();
    const start = from?.w ?? '(i32.const 0)';
    const end = to?.w ?? `(i32.load (i32.sub (local.get ${local}) (i32.const 8)))`;
    const first = this.#local();
    const bytes = (w) => `(i32.shl ${w} (i32.const 2))`;
    const at = `(i32.add (local.get ${local}) ${bytes(`(local.get ${first})`)})`;
    const fill = `(memory.fill ${at} (i32.const ${value.c}) ${bytes(`(i32.sub ${end} (local.get ${first}))`)})`;
    return { t: 'void', w: `(block (local.set ${local} ${column.w}) (local.set ${first} ${start}) ${fill})` };
  }
}

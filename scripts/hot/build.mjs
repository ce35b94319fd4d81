/**
 * Hot code as a whole: one WebAssembly module for each kind of search (`layout.mjs`), where in memory each of its objects has its
 * fields, and how the classes must be rewritten to keep them there.
 */
import binaryen from 'binaryen';
import { searches as allSearches } from './layout.mjs';
import { rewriteClass } from './rewrite.mjs';
import { Translation } from './translate.mjs';

/** Where the places of objects begin; what is below is never used. */
const FIRST = 64;

const PLACE = /@([^@]+)@([^@]+)@([^@]+)@/g;

/** Tells JavaScript of an entry that a column does not have; for tests. */
const checking = `
  (import "js" "outside" (func $outside (param i32 i32)))
  (func $checked (param $c i32) (param $i i32) (result i32)
    (if (i32.ge_u (local.get $i) (i32.load (i32.sub (local.get $c) (i32.const 8))))
      (then (call $outside (local.get $i) (i32.load (i32.sub (local.get $c) (i32.const 8))))))
    (i32.add (local.get $c) (i32.shl (local.get $i) (i32.const 2))))`;

const inMap = (map, key, make) => {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
};

function translate({ name, model, search, loop: [type, method] }, isChecked) {
  const all = new Translation({ ...search, checked: isChecked });
  const [object, cls] = search.singletons[type];
  const run = all.function(all.objects.get(object), cls, method, cls.members.get(method).decl, cls.module);
  if (run.state !== 'done') throw new Error(`${type}.${method} could not be translated: ${run.why}`);
  return { name, model, search, all, run, ...all.textFrom(run) };
}

/** By class: what it has in memory, in order. It is the same in all modules. */
function placesOf(translations) {
  const places = new Map();
  for (const { all, text } of translations) {
    const used = [...text.matchAll(PLACE)].map(([, , cls, key]) => [cls, key]);
    const grown = [...all.growths.values()].map(({ cls, key }) => [cls, key]);
    for (const [cls, key] of [...used, ...grown])
      inMap(places, cls, () => new Map()).set(key, all.fields.get(cls).get(key));
  }
  return places;
}

function assemble({ name, all, run, text, imports }, places, isChecked) {
  const bases = new Map();
  let end = FIRST;
  const baseOf = (object, cls) =>
    inMap(bases, `${object}:${cls}`, () => {
      const base = end;
      end += 4 * places.get(cls).size;
      return base;
    });
  for (const { object, cls } of all.growths.values()) baseOf(object, cls);
  const addressed = text.replace(PLACE, (_, object, cls, key) =>
    String(baseOf(object, cls) + 4 * [...places.get(cls).keys()].indexOf(key)),
  );
  const parts = [...imports, isChecked ? checking : '', addressed, `(export "run" (func ${run.name}))`];
  const source = `(module (import "js" "memory" (memory 1 65536 shared)) ${parts.join('\n')})`;
  const module = binaryen.parseText(source);
  const has = binaryen.Features;
  module.setFeatures(has.Atomics | has.BulkMemory | has.BulkMemoryOpt | has.MutableGlobals | has.SignExt);
  if (!module.validate()) throw new Error(`hot code for ${name} is not valid`);
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(0);
  binaryen.setDebugInfo(isChecked);
  module.optimize();
  const children = all.children.map(([owner, cls, key, object]) => [`${owner}:${cls}:${key}`, object]);
  // a search may extend the one whose loop this is: its hot methods are private
  const classes = [...all.objects.values()]
    .filter((object) => object.cls !== undefined && object !== run.object)
    .map(({ name, cls }) => [name, cls.name]);
  const layout = {
    end,
    classes: Object.fromEntries(classes),
    bases: Object.fromEntries(bases),
    children: Object.fromEntries(children),
  };
  const bytes = module.emitBinary();
  module.dispose();
  return { bytes, layout };
}

/** By class: how it is rewritten. */
function rewritesOf(translations, places) {
  const classes = new Map();
  const rewriteOf = (cls) =>
    inMap(classes, cls, () => ({ fields: places.get(cls.name) ?? new Map(), children: new Map(), calls: new Map() }));
  for (const { model, search, all, calls } of translations) {
    const known = all.classes();
    for (const cls of known.values()) if (places.has(cls.name)) rewriteOf(cls);
    for (const [, cls, key, object] of all.children) {
      if (all.objects.get(object).cls === undefined) continue;
      rewriteOf(known.get(cls)).children.set(key, known.get(cls).members.get(key).node.readonly !== true);
    }
    for (const call of calls) rewriteOf(known.get(call.cls)).calls.set(call.key, call);
    if (model !== undefined) rewriteOf(search.singletons.GraphModel[1]).model = model;
  }
  return classes;
}

/** `modules`: by kind of search, its bytes and layout. `calls`: what it calls that stays JavaScript. `rewrite`: a built module of a source, rewritten; undefined: it need not be. */
export function buildHot({ isChecked = false, searches = allSearches } = {}) {
  const translations = searches.map((search) => translate(search, isChecked));
  const places = placesOf(translations);
  const modules = new Map(translations.map((one) => [one.name, assemble(one, places, isChecked)]));
  const classes = rewritesOf(translations, places);
  const byFile = new Map();
  for (const [cls, what] of classes) inMap(byFile, cls.module.file, () => []).push([cls.name, what]);
  const rewrite = (file, code) =>
    byFile.get(file)?.reduce((changed, [name, what]) => rewriteClass(changed, name, what), code);
  const calls = new Map(
    translations.map(({ name, imports }) => [name, imports.map((text) => /"js" "([^"]+)"/.exec(text)[1])]),
  );
  return { modules, rewrite, files: [...byFile.keys()], calls };
}

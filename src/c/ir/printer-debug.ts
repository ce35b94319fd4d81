/** Debug information as metadata: positions, variables and the types of the source. */
import type { SourcePosition } from '../../program/operation.ts';
import type { CType, Encoding, Member } from './debug.ts';
import { escapeText } from './lexer.ts';
import type { GlobalVariable, IrFunction, LocalVariable } from './module.ts';

const encodings: Readonly<Record<Encoding, string>> = {
  signed: 'DW_ATE_signed',
  unsigned: 'DW_ATE_unsigned',
  bool: 'DW_ATE_boolean',
  float: 'DW_ATE_float',
  'signed char': 'DW_ATE_signed_char',
  'unsigned char': 'DW_ATE_unsigned_char',
};

/** Comments begin in this column, if the line is not longer. */
const commentColumn = 80;

export class DebugPrinter {
  /** By number. */
  readonly #nodes: string[] = [];
  readonly #byText = new Map<string, string>();
  readonly #types = new Map<CType, string>();
  /** Types that have a number and still need a text: written in a loop, because they refer to each other. */
  readonly #unwritten: CType[] = [];
  #unit: string | undefined;
  #function: IrFunction | undefined;
  #scope = '';

  enter(fn: IrFunction): void {
    this.#function = fn;
    this.#scope = '';
    if (fn.position === undefined) return;
    const file = this.#file(fn.position.file);
    const fields = `name: ${quote(fn.name)}, scope: ${file}, file: ${file}, line: ${fn.position.line}`;
    this.#unit ??= this.#add(`distinct !DICompileUnit(language: DW_LANG_C11, file: ${file}, emissionKind: FullDebug)`);
    this.#scope = this.#add(`distinct !DISubprogram(${fields}, spFlags: DISPFlagDefinition, unit: ${this.#unit})`);
  }

  /** What follows the heading of the function. */
  subprogram(): string {
    return this.#scope === '' ? '' : ` !dbg ${this.#scope}`;
  }

  /** What follows an instruction, on a line that has `length` characters. */
  location(position: SourcePosition | undefined, length: number): string {
    if (position === undefined) return '';
    const attachment = `, !dbg ${this.#location(position)}`;
    const gap = ' '.repeat(Math.max(1, commentColumn - length - attachment.length));
    const file = position.file.replaceAll(/[\r\n]/g, ' ');
    return `${attachment}${gap}; ${file}:${position.line}:${position.column}`;
  }

  global({ sourceName, debugType, position }: GlobalVariable): string {
    if (sourceName === undefined && debugType === undefined && position === undefined) return '';
    const fields: string[] = [];
    if (sourceName !== undefined) fields.push(`name: ${quote(sourceName)}`);
    if (position !== undefined) fields.push(`file: ${this.#file(position.file)}, line: ${position.line}`);
    if (debugType !== undefined) fields.push(`type: ${this.#type(debugType)}`);
    const variable = this.#add(`distinct !DIGlobalVariable(${fields.join(', ')}, isDefinition: true)`);
    return `, !dbg ${this.#add(`!DIGlobalVariableExpression(var: ${variable}, expr: !DIExpression())`)}`;
  }

  /** The record that says that a variable lies where `%pointer` points to. */
  declare(pointer: string, { name, type }: LocalVariable): string {
    const position = this.#function?.position ?? { file: '', line: 0, column: 1 };
    const location = this.#location(position);
    const scope = this.#scope === '' ? '' : `, scope: ${this.#scope}`;
    const typeField = type === undefined ? '' : `, type: ${this.#type(type)}`;
    const variable = this.#add(`!DILocalVariable(name: ${quote(name)}${scope}${typeField})`);
    return `    #dbg_declare(ptr ${pointer}, ${variable}, !DIExpression(), ${location})`;
  }

  /** All metadata of the module. */
  lines(): string[] {
    for (let type = this.#unwritten.pop(); type !== undefined; type = this.#unwritten.pop()) {
      this.#nodes[Number(this.#types.get(type)?.slice(1))] = this.#typeText(type);
    }
    const named: string[] = [];
    if (this.#unit !== undefined) {
      const version = this.#add('!{i32 2, !"Debug Info Version", i32 3}');
      named.push(`!llvm.dbg.cu = !{${this.#unit}}`, `!llvm.module.flags = !{${version}}`);
    }
    return [...named, ...this.#nodes.map((text, i) => `!${i} = ${text}`)];
  }

  #location({ file, line, column }: SourcePosition): string {
    return this.#once(`!DILocation(line: ${line}, column: ${column}, scope: ${this.#scopeIn(file)})`);
  }

  /** The function, or a part of it that comes from another file. */
  #scopeIn(file: string): string {
    if (file === this.#function?.position?.file) return this.#scope;
    const node = this.#file(file);
    return this.#once(`!DILexicalBlockFile(scope: ${this.#scope || node}, file: ${node}, discriminator: 0)`);
  }

  #file(name: string): string {
    return this.#once(`!DIFile(filename: ${quote(name)}, directory: "")`);
  }

  #type(type: CType | undefined): string {
    if (type === undefined) return 'null';
    let id = this.#types.get(type);
    if (id === undefined) {
      id = this.#add('');
      this.#types.set(type, id);
      this.#unwritten.push(type);
    }
    return id;
  }

  #typeText(type: CType): string {
    switch (type.kind) {
      case 'base':
        return `!DIBasicType(name: ${quote(type.name)}, size: ${type.size * 8}, encoding: ${encodings[type.encoding]})`;
      case 'pointer':
        return `!DIDerivedType(tag: DW_TAG_pointer_type, baseType: ${this.#type(type.to())}, size: ${type.size * 8})`;
      case 'struct': {
        const elements = this.#tuple(type.members().map((member) => this.#member(member)));
        return composite(type.isUnion ? 'union_type' : 'structure_type', type.name, type.size, `elements: ${elements}`);
      }
      case 'enum': {
        const names = [...type.names].map(([value, name]) =>
          this.#once(`!DIEnumerator(name: ${quote(name)}, value: ${value})`),
        );
        return composite('enumeration_type', type.name, type.size, `elements: ${this.#tuple(names)}`);
      }
      case 'array': {
        const range = this.#tuple([this.#once(`!DISubrange(count: ${type.count ?? -1})`)]);
        return composite(
          'array_type',
          undefined,
          type.size,
          `baseType: ${this.#type(type.element())}, elements: ${range}`,
        );
      }
      case 'function':
        return '!DISubroutineType(types: null)';
    }
  }

  #member({ name, type, offset, isBitField, bits }: Member): string {
    const nameField = name === undefined ? '' : `, name: ${quote(name)}`;
    const flags = isBitField ? ', flags: DIFlagBitField' : '';
    const place = bits === undefined ? `offset: ${offset * 8}` : `size: ${bits.count}, offset: ${bits.first}`;
    return this.#add(`!DIDerivedType(tag: DW_TAG_member${nameField}, baseType: ${this.#type(type)}, ${place}${flags})`);
  }

  #tuple(elements: readonly string[]): string {
    return this.#once(`!{${elements.join(', ')}}`);
  }

  /** A node of its own. */
  #add(text: string): string {
    this.#nodes.push(text);
    return `!${this.#nodes.length - 1}`;
  }

  /** A node that is shared by all that need the same. */
  #once(text: string): string {
    let id = this.#byText.get(text);
    if (id === undefined) {
      id = this.#add(text);
      this.#byText.set(text, id);
    }
    return id;
  }
}

function composite(tag: string, name: string | undefined, size: number, rest: string): string {
  const nameField = name === undefined ? '' : `, name: ${quote(name)}`;
  return `!DICompositeType(tag: DW_TAG_${tag}${nameField}, size: ${size * 8}, ${rest})`;
}

function quote(text: string): string {
  return `"${escapeText(text)}"`;
}

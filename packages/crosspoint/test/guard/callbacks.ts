/** Finds, in the sources, every function that a program can hand to the library. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync, type ParseResult } from 'oxc-parser';
import { PACKAGES, ROOT, entriesOf, isInternal } from '../../../../scripts/packages.mjs';

/** The source behind each entry, by the name under which programs import it. */
const ENTRIES: ReadonlyMap<string, string> = new Map(
  PACKAGES.flatMap((one) =>
    entriesOf(one).map(({ specifier, source }) => [specifier, join(one.folder, 'src', `${source}.ts`)] as const),
  ),
);

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A declaration that programs can name, or that one of those is made of. */
interface Declaration {
  readonly file: string;
  readonly name: string;
  readonly node: Node;
}

const parsed = new Map<string, ParseResult>();

function read(file: string): ParseResult {
  let known = parsed.get(file);
  if (known === undefined) parsed.set(file, (known = parseSync(file, readFileSync(file, 'utf8'))));
  return known;
}

const asNode = (value: unknown): Node | undefined =>
  typeof value === 'object' && value !== null && 'type' in value ? (value as Node) : undefined;
const nodes = (value: unknown): Node[] => (Array.isArray(value) ? value.flatMap((one) => asNode(one) ?? []) : []);
const nameOf = (node: unknown): string | undefined => (asNode(node)?.['name'] ?? asNode(node)?.['value']) as string;

/** Where a name that is used in a file is declared, in this one or in one that it is imported from. */
function find(file: string, name: string): Declaration | undefined {
  const { program, module } = read(file);
  for (const statement of program.body as unknown as Node[]) {
    const node = asNode(statement['declaration']) ?? statement;
    if (nameOf(node['id']) === name) return { file, name, node };
    for (const one of nodes(node['declarations'])) if (nameOf(one['id']) === name) return { file, name, node: one };
  }
  for (const { entries, moduleRequest } of module.staticImports)
    for (const { localName, importName } of entries)
      if (localName.value === name) return follow(file, moduleRequest.value, importName.name ?? name);
  for (const { entries } of module.staticExports)
    for (const { exportName, importName, moduleRequest } of entries)
      if (exportName.name === name && moduleRequest) return follow(file, moduleRequest.value, importName.name ?? name);
  return undefined;
}

function follow(file: string, request: string, name: string): Declaration | undefined {
  const target = request.startsWith('.') ? resolve(dirname(file), request) : ENTRIES.get(request);
  return target !== undefined && existsSync(target) ? find(target, name) : undefined;
}

/** The names of every entry, with their declarations. What is only for tests of programs is left out. */
function exported(): Declaration[] {
  return [...ENTRIES].flatMap(([specifier, file]) => {
    if (specifier.startsWith('crosspoint/testing') || isInternal(specifier)) return [];
    return read(file).module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ exportName }) => (exportName.name && find(file, exportName.name)) || []),
    );
  });
}

/** A callback by the name of what it belongs to, such as `McpHandlerOptions.authenticate`. */
export interface Callback {
  readonly owner: string;
  readonly name: string;
  readonly file: string;
}

export function callbacks(): Callback[] {
  const seen = new Set<Node>();
  const found = new Map<string, Callback>();
  const visit = (declaration: Declaration): void => {
    if (seen.has(declaration.node)) return;
    seen.add(declaration.node);
    const { file, name: owner, node } = declaration;
    for (const name of functionsOf(declaration)) {
      const path = relative(join(ROOT, 'packages'), file).replaceAll('\\', '/');
      found.set(`${path} ${owner}.${name}`, { owner, name, file: path });
    }
    for (const name of referencesOf(node)) {
      const next = find(file, name);
      if (next && isType(next.node)) visit(next);
    }
  };
  for (const declaration of exported()) visit(declaration);
  return [...found.values()].toSorted((a, b) => `${a.owner}.${a.name}`.localeCompare(`${b.owner}.${b.name}`));
}

const isType = ({ type }: Node): boolean => type === 'TSInterfaceDeclaration' || type === 'TSTypeAliasDeclaration';

/** The members of a declaration that are functions of the program: of a type, what is assigned to an object, and what is passed to a function. */
function functionsOf({ file, node }: Declaration): string[] {
  if (node.type === 'TSInterfaceDeclaration') return membersOf(file, nodes(asNode(node['body'])?.['body']));
  if (node.type === 'TSTypeAliasDeclaration')
    return literalsIn(asNode(node['typeAnnotation'])).flatMap((literal) => membersOf(file, nodes(literal['members'])));
  if (node.type === 'ClassDeclaration') return ofClass(file, nodes(asNode(node['body'])?.['body']));
  if (node.type === 'FunctionDeclaration' || node.type === 'TSDeclareFunction') return parametersOf(file, node);
  return [];
}

function membersOf(file: string, members: readonly Node[]): string[] {
  return members.flatMap((member) => {
    const name = nameOf(member['key']);
    if (name === undefined) return [];
    if (member.type === 'TSMethodSignature') return [name];
    return member.type === 'TSPropertySignature' && isFunction(file, annotation(member)) ? [name] : [];
  });
}

function ofClass(file: string, members: readonly Node[]): string[] {
  return members.flatMap((member) => {
    const name = nameOf(member['key']) ?? '';
    if (asNode(member['key'])?.type === 'PrivateIdentifier' || (member['accessibility'] ?? 'public') !== 'public')
      return [];
    if (member.type === 'PropertyDefinition')
      return member['readonly'] !== true && isFunction(file, annotation(member)) ? [name] : [];
    if (member.type !== 'MethodDefinition' && member.type !== 'TSAbstractMethodDefinition') return [];
    const passed = parametersOf(file, asNode(member['value']));
    if (member['kind'] === 'set') return passed.length > 0 ? [name] : [];
    return passed.map((parameter) => `${name}${parameter}`);
  });
}

/** As `(name)`; of options whose type is written out in place, as `(name.member)`. */
function parametersOf(file: string, node: Node | undefined): string[] {
  return nodes(node?.['params']).flatMap((given) => {
    const parameter = given.type === 'AssignmentPattern' ? asNode(given['left']) : given;
    const inner = parameter?.type === 'TSParameterProperty' ? asNode(parameter['parameter']) : parameter;
    if (inner === undefined) return [];
    const type = annotation(inner);
    const name = nameOf(inner) ?? '…';
    if (isFunction(file, type)) return [`(${name})`];
    return literalsIn(type).flatMap((literal) =>
      membersOf(file, nodes(literal['members'])).map((member) => `(${name}.${member})`),
    );
  });
}

const annotation = (node: Node): Node | undefined => asNode(asNode(node['typeAnnotation'])?.['typeAnnotation']);

/** Whether a value of the type may be a function, through unions and names. */
function isFunction(file: string, type: Node | undefined, depth = 0): boolean {
  if (type === undefined || depth > 8) return false;
  switch (type.type) {
    case 'TSFunctionType':
      return true;
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
      return isFunction(file, asNode(type['typeAnnotation']), depth + 1);
    case 'TSUnionType':
    case 'TSIntersectionType':
      return nodes(type['types']).some((one) => isFunction(file, one, depth + 1));
    case 'TSConditionalType':
      return [type['trueType'], type['falseType']].some((one) => isFunction(file, asNode(one), depth + 1));
    case 'TSArrayType':
      return isFunction(file, asNode(type['elementType']), depth + 1);
    case 'TSTypeLiteral':
      return nodes(type['members']).some(({ type: kind }) => kind === 'TSCallSignatureDeclaration');
    case 'TSTypeReference':
      return isFunctionByName(file, type, depth);
    case 'TSTypeQuery': {
      // Of a value: one of the runtime, such as `typeof fetch`, or one that is declared as a function.
      const found = find(file, nameOf(type['exprName']) ?? '');
      return found === undefined || found.node.type === 'FunctionDeclaration';
    }
    case 'TSIndexedAccessType':
      return isFunctionOfMember(file, type, depth);
    default:
      return false;
  }
}

/** `Owner['member']`. */
function isFunctionOfMember(file: string, type: Node, depth: number): boolean {
  const owner = find(file, nameOf(asNode(type['objectType'])?.['typeName']) ?? '');
  const member = nameOf(asNode(asNode(type['indexType'])?.['literal'])) ?? '';
  const members = nodes(asNode(owner?.node['body'])?.['body']);
  const found = members.find((one) => nameOf(one['key']) === member);
  if (found === undefined || owner === undefined) return false;
  return found.type === 'TSMethodSignature' || isFunction(owner.file, annotation(found), depth + 1);
}

function isFunctionByName(file: string, type: Node, depth: number): boolean {
  const name = nameOf(type['typeName']) ?? '';
  const inner = nodes(asNode(type['typeArguments'])?.['params']);
  if (['Readonly', 'Partial', 'NonNullable', 'Record', 'ReadonlyArray', 'Array', 'Promise'].includes(name))
    return inner.some((one) => isFunction(file, one, depth + 1));
  const found = name === '' ? undefined : find(file, name);
  if (found?.node.type === 'TSTypeAliasDeclaration')
    return isFunction(found.file, asNode(found.node['typeAnnotation']), depth + 1);
  return (
    found?.node.type === 'TSInterfaceDeclaration' &&
    nodes(asNode(found.node['body'])?.['body']).some(({ type: kind }) => kind === 'TSCallSignatureDeclaration')
  );
}

function literalsIn(type: Node | undefined): Node[] {
  if (type?.type === 'TSTypeLiteral') return [type];
  return type?.type === 'TSUnionType' || type?.type === 'TSIntersectionType'
    ? nodes(type['types']).flatMap(literalsIn)
    : [];
}

/** The types that a declaration names, wherever. */
function referencesOf(node: Node): string[] {
  const names: string[] = [];
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(walk);
    const one = asNode(value);
    if (one === undefined) return;
    if (one.type === 'BlockStatement') return;
    if (one.type === 'TSTypeReference') names.push(nameOf(one['typeName']) ?? '');
    if (one.type === 'TSInterfaceHeritage' || one.type === 'TSClassImplements')
      names.push(nameOf(one['expression']) ?? '');
    for (const inner of Object.values(one)) walk(inner);
  };
  walk(node);
  return names.filter((name) => name !== '');
}

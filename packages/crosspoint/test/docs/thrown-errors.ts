/** Finds, in the sources, every error that the library makes, with its words. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { ROOT } from './doc-blocks.ts';

/** The packages whose errors the pages explain. */
const PACKAGES = ['crosspoint', 'apps', 'authorization-server', 'json-schema', 'openapi', 'recording', 'skills'];

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** An error as it is made: its class and its texts in order, with `…` for what is filled in. */
export interface MadeError {
  readonly name: string;
  readonly texts: readonly string[];
  /** The file under `packages/`. */
  readonly file: string;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** The texts that an expression may be: two for a condition, none for a variable. */
function textsOf(node: unknown): string[] {
  if (!isNode(node)) return [];
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : [];
  if (node.type === 'TemplateLiteral')
    return [(node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…')];
  if (node.type === 'ConditionalExpression') return [...textsOf(node['consequent']), ...textsOf(node['alternate'])];
  if (node.type !== 'BinaryExpression') return [];
  const [left] = textsOf(node['left']);
  const [right] = textsOf(node['right']);
  return left === undefined && right === undefined ? [] : [`${left ?? '…'}${right ?? '…'}`];
}

/** A function that makes an error of words it is given: `(reason) => new OAuthFault('invalid_grant', reason)`. */
interface Maker {
  readonly name: string;
  /** The arguments of the error: a text of its own, or the place of a parameter. */
  readonly words: readonly (readonly string[] | number)[];
}

const isErrorMade = (node: Node): boolean =>
  node.type === 'NewExpression' && isNode(node['callee']) && /(?:Error|Fault)$/.test(String(node['callee']['name']));

function everyNode(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const one of node) everyNode(one, visit);
    return;
  }
  if (!isNode(node)) return;
  visit(node);
  for (const part of Object.values(node)) everyNode(part, visit);
}

const nameOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Identifier' ? String(node['name']) : undefined;

/** The functions of a file that make an error of their parameters, by their names. */
function makersIn(program: unknown): Map<string, Maker> {
  const makers = new Map<string, Maker>();
  everyNode(program, (node) => {
    const isNamed = node.type === 'FunctionDeclaration' || node.type === 'VariableDeclarator';
    const code = node.type === 'VariableDeclarator' ? node['init'] : node;
    const name = nameOf(node['id']);
    if (!isNamed || name === undefined || !isNode(code) || !Array.isArray(code['params'])) return;
    const params = code['params'].map(nameOf);
    everyNode(code['body'], (made) => {
      if (!isErrorMade(made)) return;
      const words = (made['arguments'] as unknown[]).map((word) => {
        const place = params.indexOf(nameOf(word) ?? '');
        return place < 0 ? textsOf(word) : place;
      });
      if (words.some((word) => typeof word === 'number'))
        makers.set(name, { name: String((made['callee'] as Node)['name']), words });
    });
  });
  return makers;
}

function madeIn(program: unknown, file: string): MadeError[] {
  const found: MadeError[] = [];
  const makers = makersIn(program);
  everyNode(program, (node) => {
    const given = (node['arguments'] ?? []) as unknown[];
    if (isErrorMade(node)) {
      found.push({ name: String((node['callee'] as Node)['name']), texts: given.flatMap(textsOf), file });
      return;
    }
    const maker = node.type === 'CallExpression' ? makers.get(nameOf(node['callee']) ?? '') : undefined;
    if (maker === undefined) return;
    const texts = maker.words.flatMap((word) => (typeof word === 'number' ? textsOf(given[word]) : word));
    found.push({ name: maker.name, texts, file });
  });
  return found;
}

/** The sources of the packages under `packages/`, without those of `crosspoint/testing`. */
function sources(): string[] {
  return PACKAGES.flatMap((name) =>
    readdirSync(join(ROOT, 'packages', name, 'src'), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${name}/src/${path.replaceAll('\\', '/')}`,
    ),
  )
    .toSorted()
    .filter((file) => file.endsWith('.ts') && !file.startsWith('crosspoint/src/testing/'));
}

const textOf = (file: string): string => readFileSync(join(ROOT, 'packages', file), 'utf8');

/** Every error of the packages, without those of `crosspoint/testing`, which the tests of programs meet. */
export function thrownErrors(): MadeError[] {
  return sources().flatMap((file) => madeIn(parseSync(file, textOf(file)).program.body, file));
}

/** The classes of errors that the packages declare and some entry exports, or throws at a program. */
export function declaredErrors(): string[] {
  return sources().flatMap((file) =>
    [...textOf(file).matchAll(/^export class (\w+(?:Error|Fault)) extends/gm)].map(([, declared = '']) => declared),
  );
}

/** Finds, in the sources, every error that the library makes, with its words. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { ROOT } from './doc-blocks.ts';

const SOURCES = join(ROOT, 'packages/crosspoint/src');

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** An error as it is made: its class and its texts in order, with `…` for what is filled in. */
export interface MadeError {
  readonly name: string;
  readonly texts: readonly string[];
  /** The file under `src`. */
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

function madeIn(node: unknown, file: string, found: MadeError[]): void {
  if (Array.isArray(node)) {
    for (const one of node) madeIn(one, file, found);
    return;
  }
  if (!isNode(node)) return;
  const callee = node['callee'];
  if (node.type === 'NewExpression' && isNode(callee) && /(?:Error|Fault)$/.test(String(callee['name'])))
    found.push({ name: String(callee['name']), texts: (node['arguments'] as unknown[]).flatMap(textsOf), file });
  for (const part of Object.values(node)) madeIn(part, file, found);
}

/** Every error of the package, without those of `crosspoint/testing`, which the tests of programs meet. */
export function thrownErrors(): MadeError[] {
  const found: MadeError[] = [];
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  for (const file of files.toSorted()) {
    if (!file.endsWith('.ts') || file.startsWith('testing/')) continue;
    madeIn(parseSync(file, readFileSync(join(SOURCES, file), 'utf8')).program.body, file, found);
  }
  return found;
}

/** The classes of errors that the package declares and some entry exports, or throws at a program. */
export function declaredErrors(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return files
    .filter((name) => !name.startsWith('testing'))
    .flatMap((name) =>
      [...readFileSync(join(SOURCES, name), 'utf8').matchAll(/^export class (\w+(?:Error|Fault)) extends/gm)].map(
        ([, declared = '']) => declared,
      ),
    );
}

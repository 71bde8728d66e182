import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parseSync, Visitor, type VisitorObject } from 'oxc-parser';
import { PACKAGES } from '../../../../scripts/packages.mjs';

export interface FoundExpression {
  /** `file:line` below `src/`. */
  readonly at: string;
  readonly expression: RegExp;
}

export interface FoundExpressions {
  readonly literals: readonly FoundExpression[];
  /** Where an expression is made of text at run time, which no analysis of the sources can judge. */
  readonly made: readonly string[];
}

/** Every regular expression in the sources of the packages. */
export function regexpsOfSources(): FoundExpressions {
  const found = PACKAGES.flatMap(({ folder }) => {
    const src = join(folder, 'src');
    const paths = (readdirSync(src, { recursive: true }) as string[]).filter((path) => path.endsWith('.ts'));
    return paths.map((path) => regexpsIn(path.split(sep).join('/'), readFileSync(join(src, path), 'utf8')));
  });
  return { literals: found.flatMap(({ literals }) => literals), made: found.flatMap(({ made }) => made) };
}

export function regexpsIn(path: string, text: string): FoundExpressions {
  const literals: FoundExpression[] = [];
  const made: string[] = [];
  const at = (start: number): string => `${path}:${text.slice(0, start).split('\n').length}`;
  const call = (
    node:
      | Parameters<NonNullable<VisitorObject['NewExpression']>>[0]
      | Parameters<NonNullable<VisitorObject['CallExpression']>>[0],
  ): void => {
    if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp') made.push(at(node.start));
  };
  const visitor = new Visitor({
    Literal: (node) => {
      if (!('regex' in node)) return;
      const { pattern, flags } = node.regex;
      literals.push({ at: at(node.start), expression: new RegExp(pattern, flags) });
    },
    NewExpression: call,
    CallExpression: call,
  });
  visitor.visit(parseSync(path, text).program);
  return { literals, made };
}

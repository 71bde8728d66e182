import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, type ParseResult } from 'oxc-parser';
import { PACKAGES, entriesOf } from '../../../../scripts/packages.mjs';

export const LIBRARY: string = fileURLToPath(new URL('../../', import.meta.url));

/** The declarations behind each entry, by the name under which programs import it. */
const DECLARATIONS: ReadonlyMap<string, string> = new Map(
  PACKAGES.flatMap((one) =>
    entriesOf(one).map(({ specifier, source }) => [specifier, join(one.folder, 'dist', `${source}.d.ts`)] as const),
  ),
);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** A name that users import, and the words that its declaration carries. */
export interface Declared {
  readonly entry: string;
  readonly name: string;
  readonly file: string;
  readonly comment: string;
}

const parsed = new Map<string, { text: string; result: ParseResult }>();

function read(file: string): { text: string; result: ParseResult } {
  let known = parsed.get(file);
  if (known === undefined) {
    const text = readFileSync(file, 'utf8');
    parsed.set(file, (known = { text, result: parseSync(file, text) }));
  }
  return known;
}

/** What stands directly before a declaration. */
function commentBefore(file: string, at: number): string {
  const { text, result } = read(file);
  const before = result.comments.filter(({ end }) => end <= at && /^(?:\s|export|declare)*$/.test(text.slice(end, at)));
  return before.at(-1)?.value ?? '';
}

/** The file that an import of another one means, as the compiler finds it. */
function imported(from: string, request: string): string | undefined {
  if (!request.startsWith('.')) return DECLARATIONS.get(request);
  const file = resolve(dirname(from), request.replace(/\.(?:js|ts)$/, '.d.ts'));
  return existsSync(file) ? file : undefined;
}

const namesOf = (node: Node): string[] => {
  const declared = (node['declaration'] ?? node) as Node;
  const id = declared['id'] as { name?: string } | undefined;
  const list = (declared['declarations'] ?? []) as { id: { name?: string } }[];
  return [id?.name, ...list.map((one) => one.id.name)].filter((name) => name !== undefined);
};

/** Where a name is declared: the file, and the comment of the declaration that is first. */
function find(file: string, name: string): { file: string; comment: string } | undefined {
  const { result } = read(file);
  const own = (result.program.body as unknown as Node[]).find((node) => namesOf(node).includes(name));
  if (own !== undefined) return { file, comment: commentBefore(file, own.start) };
  const reexported = result.module.staticExports
    .flatMap(({ entries }) => entries)
    .find(({ exportName, moduleRequest }) => exportName.name === name && moduleRequest !== null);
  const request =
    reexported?.moduleRequest ??
    result.module.staticImports.find(({ entries }) => entries.some(({ localName }) => localName.value === name))
      ?.moduleRequest;
  const next = request && imported(file, request.value);
  return next ? find(next, reexported?.importName.name ?? name) : undefined;
}

/** Every name of every entry of the packages, with what its declaration says. */
export function declared(): Declared[] {
  return [...DECLARATIONS].flatMap(([entry, file]) => {
    const names = read(file).result.module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ exportName }) => (exportName.name === null ? [] : [exportName.name])),
    );
    return names.flatMap((name) => {
      const found = find(file, name);
      return found === undefined ? [] : [{ entry, name, ...found }];
    });
  });
}

/** What the declaration of a member of a class or an interface says. */
export function memberComment(file: string, owner: string, member: string): string | undefined {
  const { result } = read(file);
  const node = (result.program.body as unknown as Node[]).find((one) => namesOf(one).includes(owner));
  const body = ((node?.['declaration'] ?? node) as Node | undefined)?.['body'] as { body: Node[] } | undefined;
  const found = body?.body.find((one) => (one['key'] as { name?: string } | undefined)?.name === member);
  return found && commentBefore(file, found.start);
}

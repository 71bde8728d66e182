/** Values that are a little different from a valid one. */

/** What may stand in the place of a value: one of every type, and the borders of numbers and texts. */
const REPLACEMENTS: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  2,
  '',
  'other',
  'https://example.com/',
  '2025-01-12',
  [],
  ['other'],
  [1],
  {},
  { other: {} },
];

type Path = readonly (string | number)[];

function pathsOf(value: unknown, depth: number, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || path.length === depth) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value);
  return [path, ...entries.flatMap(([key, member]) => pathsOf(member, depth, [...path, key]))];
}

type Holder = Record<string | number, unknown>;

/** The value with another container at the end of the path, in which `change` has been applied to the key. What is beside the path is shared. */
function at(value: unknown, path: Path, change: (holder: Holder, key: string | number) => void): unknown {
  const top: Holder = { value };
  let holder = top;
  let key: string | number = 'value';
  for (const part of path) {
    const inner = holder[key] as Holder;
    const copy = (Array.isArray(inner) ? [...inner] : { ...inner }) as Holder;
    holder[key] = copy;
    holder = copy;
    key = part;
  }
  change(holder, key);
  return top['value'];
}

/**
 * Every value that differs in one place: replaced, removed, or with a member more. Always the same, in the same order. Not deeper than two members
 * unless said otherwise: what lies below has a schema, and examples, of its own.
 */
export function mutationsOf(example: unknown, depth = 2): unknown[] {
  return pathsOf(example, depth).flatMap((path) => [
    ...REPLACEMENTS.map((other) =>
      at(example, path, (holder, key) => {
        holder[key] = other;
      }),
    ),
    at(example, path, (holder, key) => {
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
    }),
    at(example, path, (holder, key) => {
      const member = holder[key];
      if (Array.isArray(member)) holder[key] = [...member, member[0] ?? 'added'];
      else if (typeof member === 'object' && member !== null) holder[key] = { ...member, added: 1 };
    }),
  ]);
}

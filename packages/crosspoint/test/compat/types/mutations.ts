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

/** Not deeper than two members: what lies below has a schema, and examples, of its own. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || path.length === 2) return [path];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value);
  return [path, ...entries.flatMap(([key, member]) => pathsOf(member, [...path, key]))];
}

/** A copy in which `change` has been applied to the container and key at the end of the path. */
function at(
  value: unknown,
  path: Path,
  change: (holder: Record<string | number, unknown>, key: string | number) => void,
) {
  const top = structuredClone({ value }) as Record<string | number, unknown>;
  let holder = top;
  let key: string | number = 'value';
  for (const part of path) {
    holder = holder[key] as Record<string | number, unknown>;
    key = part;
  }
  change(holder, key);
  return top['value'];
}

/** Every value that differs in one place: replaced, removed, or with a member more. Always the same, in the same order. */
export function mutationsOf(example: unknown): unknown[] {
  return pathsOf(example).flatMap((path) => [
    ...REPLACEMENTS.map((other) =>
      at(example, path, (holder, key) => {
        holder[key] = structuredClone(other);
      }),
    ),
    at(example, path, (holder, key) => {
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
    }),
    at(example, path, (holder, key) => {
      const member = holder[key];
      if (typeof member === 'object' && member !== null && !Array.isArray(member)) Object.assign(member, { added: 1 });
      if (Array.isArray(member)) member.push(member[0] ?? 'added');
    }),
  ]);
}

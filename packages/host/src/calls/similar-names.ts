const MAX_NAME = 200;
const MOST = 3;

/** The names that are most like a name that does not exist, by the number of changed characters; none where all are very different. */
export function similarNames(wanted: string, names: Iterable<string>): string[] {
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  const found: { name: string; distance: number }[] = [];
  for (const name of names) {
    const isPart = wanted.length > 2 && name.includes(wanted);
    if (!isPart && Math.abs(name.length - wanted.length) > limit) continue;
    const distance = isPart ? 0 : distanceBetween(wanted.slice(0, MAX_NAME), name.slice(0, MAX_NAME), limit);
    if (distance <= limit) found.push({ name, distance });
  }
  return found
    .sort((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}

/** The least number of inserted, removed and replaced characters (Levenshtein); infinite when it is more than `limit`. */
function distanceBetween(one: string, other: string, limit: number): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const replaced = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    // No later row has a smaller number than the least of this one.
    if (Math.min(...next) > limit) return Infinity;
    row = next;
  }
  return row.at(-1) ?? 0;
}

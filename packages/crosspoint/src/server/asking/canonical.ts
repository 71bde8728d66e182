/** JSON with sorted keys and nothing that JSON drops: equal values have equal texts, whoever wrote them. Throws past the depth that JSON may have. */
export function canonical(value: unknown, depth = 0): string {
  if (depth > 500) throw new RangeError('The value is nested too deeply.');
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null, depth + 1)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member, depth + 1)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

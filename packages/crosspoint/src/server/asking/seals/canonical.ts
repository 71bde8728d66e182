/** JSON with sorted keys and without members that JSON drops: equal values have equal texts. Throws past a depth of 500. */
export function canonical(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth > 500) throw new RangeError('The value is nested deeper than 500.');
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonical(item ?? null, depth + 1)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonical(member, depth + 1)}`;
  }
  return `{${text}}`;
}

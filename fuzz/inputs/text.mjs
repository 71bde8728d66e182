/**
 * Long texts in small files: a text in an input is a string, or a list of pieces, each a string, `{ repeat, times }`, whose `repeat` is a text again, or
 * `{ from, count, step }`: so many characters beginning with that number.
 * `{{name}}` in it stands for a value that an earlier step has received.
 */
const MOST = 24 * 1024 * 1024;

export function textOf(source, known = {}) {
  const text = written(source);
  return text.includes('{{') ? text.replaceAll(/\{\{([\w.-]+)\}\}/g, (whole, name) => known[name] ?? whole) : text;
}

function written(source) {
  if (typeof source === 'string') return source;
  if (Array.isArray(source)) return bounded(source.map(written).join(''));
  if (source !== null && typeof source === 'object' && 'repeat' in source) {
    const piece = written(source.repeat);
    const times = Math.max(0, Math.min(Number(source.times) || 0, Math.floor(MOST / Math.max(1, piece.length))));
    return piece.repeat(times);
  }
  if (source !== null && typeof source === 'object' && 'from' in source) {
    const { from, count, step } = source;
    return String.fromCodePoint(...Array.from({ length: Math.min(count, 50_000) }, (_, index) => from + index * step));
  }
  return source === undefined ? '' : JSON.stringify(source);
}

const bounded = (text) => (text.length > MOST ? text.slice(0, MOST) : text);

/** A value whose strings may be pieces, too, under the only member `$text`; `$list` repeats a value, `$nest` puts it into itself. */
export function valueOf(source) {
  if (Array.isArray(source)) return source.map(valueOf);
  if (source === null || typeof source !== 'object') return source;
  const [only, ...others] = Object.keys(source);
  if (others.length === 0 && only === '$text') return textOf(source.$text);
  if (others.length === 0 && only === '$list') {
    const { of, times } = source.$list;
    return Array.from({ length: times }, (_, index) => numbered(of, index));
  }
  if (others.length === 0 && only === '$members') {
    const { name, of, times } = source.$members;
    return Object.fromEntries(
      Array.from({ length: times }, (_, index) => [numbered(name, index), numbered(of, index)]),
    );
  }
  if (others.length === 0 && only === '$nest') {
    let value = valueOf(source.$nest.core);
    for (let count = 0; count < source.$nest.times; count += 1) value = { [source.$nest.under]: value };
    return value;
  }
  return Object.fromEntries(Object.entries(source).map(([name, value]) => [name, valueOf(value)]));
}

/** A copy of the value with `#` replaced by the number of the copy. */
function numbered(source, index) {
  return JSON.parse(JSON.stringify(valueOf(source)).replaceAll('#', String(index)));
}

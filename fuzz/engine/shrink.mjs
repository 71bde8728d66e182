/** Makes an input that shows a fault smaller, for as long as it still shows it. */
const MOST_TRIES = 120;

/** @param {(input: unknown) => Promise<boolean>} shows whether the fault is still there */
export async function shrunk(input, shows) {
  let best = input;
  let tries = 0;
  for (let isSmaller = true; isSmaller && tries < MOST_TRIES;) {
    isSmaller = false;
    for (const candidate of smallerThan(best)) {
      if ((tries += 1) > MOST_TRIES) break;
      if (!(await shows(candidate))) continue;
      best = candidate;
      isSmaller = true;
      break;
    }
  }
  return best;
}

/** Every input with one member of one list or object left out, or one long text halved; the largest steps first. */
function* smallerThan(value) {
  if (Array.isArray(value)) {
    if (value.length > 3) yield value.slice(0, value.length >> 1);
    if (value.length > 3) yield value.slice(value.length >> 1);
    for (const index of value.keys()) yield value.toSpliced(index, 1);
    for (const [index, item] of value.entries())
      for (const smaller of smallerThan(item)) yield value.with(index, smaller);
  } else if (value !== null && typeof value === 'object') {
    for (const [name, item] of Object.entries(value))
      for (const smaller of smallerThan(item)) yield { ...value, [name]: smaller };
    for (const name of Object.keys(value))
      yield Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  } else if (typeof value === 'string' && value.length > 64) yield value.slice(0, value.length >> 1);
}

/** The matcher for `pattern`: it agrees with the engine's own, and its work is linear in the text. */
import { SchemaError, compileSchema } from 'crosspoint/schema';
import { fault, timed, verdict } from '../engine/verdict.mjs';
import { changedText } from '../inputs/mutate.mjs';
import { randomPattern, randomText } from '../inputs/patterns.mjs';
import { textOf } from '../inputs/text.mjs';

const MOST_MS = 1500;
const LONG = 60_000;

export const target = {
  name: 'pattern',
  about: 'regular expressions against the engine of the language',
  start: () => Promise.resolve({ generate, vary, run }),
};

const generate = (random) => ({ pattern: randomPattern(random), texts: random.list(1, 4, () => randomText(random)) });

const vary = (random, { pattern, texts }) => ({
  pattern: typeof pattern === 'string' ? changedText(random, pattern).slice(0, 200) : pattern,
  texts: [...texts.slice(0, 3), randomText(random)],
});

async function run({ pattern: source, texts, isLong }) {
  const pattern = textOf(source);
  const made = timed(MOST_MS, () => matcher(pattern));
  if (made.value.fault) return verdict('fault', [...made.faults, made.value.fault]);
  const native = nativeMatcher(pattern);
  if (made.value.refused) return verdict(`refused ${native === undefined}`, made.faults);
  const faults = made.faults;
  // The same with something behind it that fits the empty text and that the engine is not trusted with: our own matcher runs then.
  const own = matcher(`(?:${pattern})(?:(?:q|)*)*`);
  for (const text of texts.map((each) => textOf(each))) {
    const ours = timed(MOST_MS, () => made.value.test(text));
    faults.push(...ours.faults);
    if (native === undefined || text.length > 100 || pattern.length > 100) continue;
    const expected = native.test(text);
    if (ours.value !== expected)
      faults.push(
        fault('broken-rule', `/${pattern}/u on ${JSON.stringify(text)}: ${ours.value}, the engine says ${expected}`),
      );
    if (own.test && own.test(text) !== expected)
      faults.push(
        fault(
          'broken-rule',
          `/${pattern}/u by the automaton on ${JSON.stringify(text)}: ${!expected}, the engine says ${expected}`,
        ),
      );
  }
  if (!isLong)
    faults.push(
      ...timed(MOST_MS, () =>
        made.value.test(
          texts
            .map((each) => textOf(each))
            .join('')
            .repeat(LONG)
            .slice(0, LONG),
        ),
      ).faults,
    );
  return verdict(`matched ${pattern.replaceAll(/[a-zA-Z0-9é😀]/gu, 'a').slice(0, 12)}`, faults);
}

function matcher(pattern) {
  try {
    const compiled = compileSchema({ pattern });
    return { test: (text) => compiled.is(text) };
  } catch (error) {
    if (error instanceof SchemaError) return { refused: true };
    return { fault: fault('crash', `compileSchema threw ${error?.stack ?? String(error)}`) };
  }
}

function nativeMatcher(pattern) {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}

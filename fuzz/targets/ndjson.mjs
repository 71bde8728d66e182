/** Lines of JSON: for any bytes and any split, the same lines come out, and memory is bounded. */
import { internal } from '../engine/internals.mjs';
import { fault, timed, verdict } from '../engine/verdict.mjs';
import { hostileString, hostileValue } from '../inputs/hostile-values.mjs';
import { cuts, hostileJson, split } from '../inputs/mutate.mjs';
import { textOf } from '../inputs/text.mjs';

const LIMIT = 5000;

export const target = {
  name: 'ndjson',
  about: 'lines of JSON, split anywhere',
  async start() {
    const { LineSplitter } = await internal('wire/ndjson.ts');
    return { generate, run: (input) => run(LineSplitter, input) };
  },
};

function generate(random) {
  const line = () => (random.chance(0.8) ? hostileJson(random, hostileValue(random)) : hostileString(random));
  const text = random.list(1, 6, () => line() + random.pick(['\n', '\n', '\r\n', '\n\n', ''])).join('');
  // Latin-1 where every character is a byte: not every text is UTF-8.
  const isBytes = random.chance(0.2);
  const length = Buffer.from(text, isBytes ? 'latin1' : 'utf8').length;
  return { text, isBytes, cuts: [cuts(random, length), cuts(random, length)] };
}

function run(LineSplitter, { text, isBytes, cuts: given }) {
  const bytes = Buffer.from(textOf(text), isBytes ? 'latin1' : 'utf8');
  const read = (at) => {
    const seen = [];
    const splitter = new LineSplitter({ line: (line) => seen.push(line), badLine: (bad) => seen.push(bad) }, LIMIT);
    for (const chunk of split(bytes, at)) splitter.push(Uint8Array.from(chunk));
    splitter.end?.();
    return JSON.stringify(seen);
  };
  const { value, faults } = timed(1000, () => [[], ...given].map(read));
  if (new Set(value).size > 1)
    faults.push(
      fault(
        'broken-rule',
        `split in another way it reads ${value.slice(1).join(' or ').slice(0, 300)} and not ${value[0].slice(0, 300)}`,
      ),
    );
  return verdict(value[0].replaceAll(/[^[\]{}:,]/g, '').slice(0, 8), faults);
}

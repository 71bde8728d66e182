/** Values in HTTP headers: any text comes back unchanged, in characters that HTTP allows, and reading never throws. */
import { internal } from '../engine/internals.mjs';
import { fault, timed, verdict } from '../engine/verdict.mjs';
import { hostileString } from '../inputs/hostile-values.mjs';
import { changedText } from '../inputs/mutate.mjs';
import { textOf } from '../inputs/text.mjs';

export const target = {
  name: 'header',
  about: 'texts in HTTP headers',
  async start() {
    const codec = await internal('wire/header-value.ts');
    return { generate, run: (input) => run(codec, input) };
  },
};

const generate = (random) => ({
  text: random.chance(0.5) ? hostileString(random) : changedText(random, 'tools/call with a space'),
  header: changedText(
    random,
    random.pick(['=?base64?YWJj?=', '=?base64?w6k=?=', '=?base64?', '?=', '=?base64??=', 'plain']),
  ),
});

async function run({ writeHeaderValue, readHeaderValue, isHeaderText }, { text: source, header }) {
  const text = textOf(source);
  const { value, faults } = timed(500, () => {
    const written = writeHeaderValue(text);
    return { written, again: readHeaderValue(written), read: readHeaderValue(textOf(header)) };
  });
  if (!isHeaderText(value.written))
    faults.push(
      fault(
        'broken-rule',
        `${JSON.stringify(text).slice(0, 100)} is written as ${JSON.stringify(value.written).slice(0, 100)}, which is no header`,
      ),
    );
  const asUtf8 = Buffer.from(text, 'utf8').toString('utf8');
  if (value.again !== asUtf8)
    faults.push(
      fault(
        'broken-rule',
        `${JSON.stringify(text).slice(0, 100)} comes back as ${JSON.stringify(value.again).slice(0, 100)}`,
      ),
    );
  return verdict(`${value.written === text} ${value.read === undefined}`, faults);
}

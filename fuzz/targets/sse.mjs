/** Server-sent events: written events are read back, and reading does not depend on how the bytes are split. */
import { internal } from '../engine/internals.mjs';
import { fault, timed, verdict } from '../engine/verdict.mjs';
import { hostileString, hostileValue } from '../inputs/hostile-values.mjs';
import { cuts, hostileJson, split } from '../inputs/mutate.mjs';
import { textOf } from '../inputs/text.mjs';

const LIMIT = 200_000;

export const target = {
  name: 'sse',
  about: 'server-sent events, split anywhere',
  async start() {
    const { writeSseEvent } = await internal('wire/sse.ts');
    const { readEvents } = await internal('transports/http/client/body.ts');
    return { generate, run: (input) => run({ writeSseEvent, readEvents }, input) };
  },
};

const FIELDS = [
  'data: ',
  'data:',
  'id: ',
  'event: ',
  'retry: ',
  ': ',
  'unknown: ',
  'data',
  '\0',
  '\ufeff',
  'retry: 9e99',
  'id: \0',
];

function generate(random) {
  const events = random.list(0, 3, () => ({
    data: random.chance(0.5) ? hostileJson(random, hostileValue(random)) : hostileString(random),
    ...(random.chance(0.4) && { id: hostileString(random) }),
    ...(random.chance(0.3) && { event: hostileString(random) }),
    ...(random.chance(0.2) && { retry: random.pick([0, 1, -1, 1e9, Number.MAX_SAFE_INTEGER]) }),
  }));
  const raw = random
    .list(
      0,
      8,
      () =>
        random.pick(FIELDS) +
        (random.chance(0.7) ? 'x' : hostileString(random)) +
        random.pick(['\n', '\r', '\r\n', '\n\n']),
    )
    .join('');
  return { events, raw, cuts: [cuts(random, 200), cuts(random, 200)] };
}

/** Text as UTF-8 carries it: the standard, like every encoder, replaces lone surrogates. */
const asSent = (text) =>
  Buffer.from(text, 'utf8')
    .toString('utf8')
    .replaceAll(/\r\n|\r/g, '\n');

async function run({ writeSseEvent, readEvents }, { events, raw, cuts: given }) {
  const faults = [];
  const read = async (bytes, at) => {
    const seen = [];
    const body = new ReadableStream({
      start(controller) {
        for (const chunk of split(bytes, at)) if (chunk.length > 0) controller.enqueue(Uint8Array.from(chunk));
        controller.close();
      },
    });
    const reader = {
      onevent: ({ data, id, event }) => seen.push([data, id, event]),
      onretry: (ms) => seen.push(ms),
      maxBytes: LIMIT,
    };
    await readEvents(body, reader).catch((error) => seen.push(error.code ?? String(error)));
    return seen;
  };
  for (const event of events) {
    let text;
    try {
      text = writeSseEvent({ ...event, data: textOf(event.data) });
    } catch (error) {
      if (!(error instanceof TypeError)) faults.push(fault('crash', String(error?.stack)));
      continue;
    }
    const [got] = (await read(Buffer.from(text), [])).filter(Array.isArray);
    const data = asSent(textOf(event.data));
    if (data.length < LIMIT && data !== '' && got?.[0] !== data)
      faults.push(
        fault(
          'broken-rule',
          `written ${JSON.stringify(event).slice(0, 200)}, read ${JSON.stringify(got).slice(0, 200)}`,
        ),
      );
  }
  const bytes = Buffer.from(textOf(raw), 'utf8');
  const readings = [];
  for (const at of [[], ...given])
    readings.push(
      JSON.stringify(
        await read(
          bytes,
          at.filter((end) => end <= bytes.length),
        ),
      ),
    );
  if (new Set(readings).size > 1)
    faults.push(
      fault(
        'broken-rule',
        `split in another way it reads ${readings.slice(1).join(' or ').slice(0, 300)} and not ${readings[0].slice(0, 300)}`,
      ),
    );
  return verdict(readings[0].replaceAll(/[a-z0-9]/gi, '').slice(0, 8), [
    ...faults,
    ...timed(1000, () => undefined).faults,
  ]);
}

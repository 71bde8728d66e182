/** The cases of `http`, sent as web requests without a socket. */
import { cpuMs, fault, signed, verdict, within } from '../engine/verdict.mjs';
import { httpCase, variedHttpCase } from '../inputs/http-cases.mjs';
import { textOf } from '../inputs/text.mjs';
import { closeRooms, openRooms } from '../subjects/rooms.mjs';
import { learn } from '../wires/received.mjs';
import { answerFaults, leaks, ruleFaults, runClients } from './http-rules.mjs';

const HEAD_MS = 5000;
const WHOLE_MS = 25;

export const target = {
  name: 'http-fetch',
  about: 'a server by web requests',
  /** Milliseconds without clients after which sessions and their events are gone in every room. */
  settleMs: 2500,
  lanes: 16,
  async start() {
    const rooms = await openRooms();
    delete rooms['hand-wired'];
    return {
      generate: (random, number) => {
        const made = httpCase(random, number);
        return { ...made, room: rooms[made.room] ? made.room : 'open' };
      },
      vary: variedHttpCase,
      run: (input) => runCase(rooms, input),
      stop: () => closeRooms(rooms),
    };
  },
};

async function runCase(rooms, input) {
  const room = rooms[input.room];
  const known = {};
  const before = room.problems;
  const cpu = cpuMs();
  const clients = await runClients(input.clients, (client, index) => runClient(room, client, { index, known }));
  const answers = clients.flatMap((client) => client.answers);
  const faults = clients.flatMap((client) => client.faults);
  faults.push(
    ...ruleFaults(input, {
      problems: room.problems - before,
      cpuMs: cpuMs() - cpu,
      answers: clients.map((client) => client.answers),
    }),
  );
  return verdict(
    signed(
      input.room,
      answers.map(({ status }) => status),
    ),
    faults,
    {
      answers: answers.length,
    },
  );
}

async function runClient(room, client, { index, known }) {
  const answers = [];
  const faults = [];
  const over = new AbortController();
  for (const { request, ending } of client.steps) {
    const made = request && webRequest(request, known, AbortSignal.any([over.signal]));
    if (!made) continue;
    const response = await within(
      room.handler.fetch(made, { isLoopback: true, remoteAddress: '127.0.0.1' }).catch((error) => error),
      HEAD_MS,
      undefined,
    );
    if (response instanceof Error) faults.push(fault('crash', `fetch rejected: ${response.stack}`));
    else if (response === undefined) faults.push(fault('hang', `no answer in ${HEAD_MS} ms`));
    else {
      const answer = {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await bodyOf(response, ending),
      };
      answers.push(answer);
      learn(known, index, answer);
    }
  }
  over.abort();
  faults.push(...answers.flatMap((answer) => [...answerFaults(room, answer), ...leaks(room, client, answer.body)]));
  return { answers, faults };
}

/** The answer within a moment; an open stream is abandoned. */
async function bodyOf(response, ending) {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  let text = '';
  const end = performance.now() + (ending === undefined ? WHOLE_MS : 0);
  for (;;) {
    const part = await within(
      reader.read().catch(() => ({ done: true })),
      Math.max(1, end - performance.now()),
      undefined,
    );
    if (part === undefined || part.done) break;
    text += Buffer.from(part.value).toString('latin1');
  }
  await reader.cancel().catch(() => {});
  return text;
}

/** The web request; undefined where the web's own classes refuse it. */
function webRequest({ method, path, headers, body }, known, signal) {
  try {
    const given = new Headers();
    for (const [name, value] of headers) given.append(name, textOf(String(value), known));
    const target = textOf(path, known);
    const url = target.startsWith('/') ? `http://127.0.0.1${target}` : new URL(target, 'http://127.0.0.1/mcp').href;
    const hasBody = body !== undefined && !['GET', 'HEAD'].includes(method);
    return new Request(url, { method, headers: given, signal, ...(hasBody && { body: textOf(body, known) }) });
  } catch {
    return undefined;
  }
}

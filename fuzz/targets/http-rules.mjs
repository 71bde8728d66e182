/** What must not be seen of a server over HTTP, whatever was sent to it. */
import { fault } from '../engine/verdict.mjs';
import { messagesIn } from '../wires/received.mjs';

/** More than these for one case is a flood that a stranger can cause. */
const MOST_PROBLEMS = 1000;
/** Of the fuzzing together with the server. */
const MOST_CPU_MS = 10_000;
const INTERNAL = -32603;
/** What a client did wrong when it was asked is told under the same number. */
const OF_THE_CLIENT = /^The client's |the client cannot be asked/;

export function answerFaults(room, answer) {
  const { status, body } = answer;
  const faults = [];
  if (status >= 500 && status !== 503 && !(room.isFailing && status === 500))
    faults.push(fault('server-error', `status ${status} in the room ${room.name}: ${body.slice(0, 300)}`));
  if (room.mayServe === false && isServed(answer))
    faults.push(fault('broken-rule', `status ${status} in the room ${room.name}, where nobody is let in`));
  if (room.isFailing) return faults;
  return [...faults, ...messagesIn(answer).flatMap(internalFaults)];
}

/** A result, a session, a stream, or a message that was taken. */
const isServed = ({ status, headers, body }) =>
  status === 202 ||
  headers['mcp-session-id'] !== undefined ||
  (headers['content-type'] ?? '').startsWith('text/event-stream') ||
  (status === 200 && body.includes('"jsonrpc"'));

/** Nothing that a stranger sends makes the server fail inside. */
export function internalFaults(message) {
  if (message?.error?.code !== INTERNAL || OF_THE_CLIENT.test(message.error.message)) return [];
  return [fault('server-error', `an internal error: ${JSON.stringify(message.error).slice(0, 300)}`)];
}

/** Where callers are told apart, and where nothing is shared, only a client's own marks may come back to it. */
export function leaks(room, client, text) {
  const others = new Set(
    [...text.matchAll(/mark-[0-9a-z]+-[0-9]+/g)].map(([mark]) => mark).filter((mark) => mark !== client.mark),
  );
  // Who has the id of a session has the session, where nobody says who is calling.
  if (!room.isGuarded && client.steps.some((step) => JSON.stringify(step).includes('.session}}'))) return [];
  return others.size === 0
    ? []
    : [fault('wrong-recipient', `${client.mark} received what belongs to ${[...others].join(', ')}`)];
}

/** Runs the clients of a case at the same time, but those behind others that are to wait for one of these (`after`). */
export function runClients(clients, run) {
  const runs = [];
  for (const [index, client] of clients.entries())
    runs.push(Promise.resolve(runs[client.after]).then(() => run(client, index)));
  return Promise.all(runs);
}

/** Rules that a case brings with it: see `fuzz/README.md`. */
export function ruleFaults({ rules = {} }, { problems, cpuMs, answers }) {
  const faults = [];
  if (cpuMs > (rules.mostCpuMs ?? MOST_CPU_MS)) faults.push(fault('slow', `${Math.round(cpuMs)} ms of processor time`));
  const all = answers.flat();
  const most = rules.mostProblems ?? MOST_PROBLEMS;
  if (problems > most) faults.push(fault('broken-rule', `${problems} problems were reported, ${most} are allowed`));
  for (const [text, times] of Object.entries(rules.most ?? {})) {
    const seen = all.filter(({ body }) => body.includes(text)).length;
    if (seen > times) faults.push(fault('broken-rule', `"${text}" came ${seen} times, ${times} are allowed`));
  }
  for (const text of rules.never ?? [])
    if (all.some(({ body }) => body.includes(text))) faults.push(fault('broken-rule', `"${text}" came, and never may`));
  for (const [client, text] of Object.entries(rules.gets ?? {}))
    if (!(answers[client] ?? []).some(({ body }) => body.includes(text)))
      faults.push(fault('broken-rule', `client ${client} did not get "${text}"`));
  return faults;
}

/** Rules that a server over HTTP must keep, whatever it is sent. */
import { fault } from '../engine/verdict.mjs';
import { messagesIn } from '../wires/received.mjs';

/** Most problems of one case; more would be a flood that a stranger can cause. */
const MOST_PROBLEMS = 1000;
/** Of the fuzzing together with the server. */
const MOST_CPU_MS = 10_000;
const INTERNAL = -32603;
/** Messages about a client's mistake when it was asked, which have the same code. */
const OF_THE_CLIENT = /^The client's |the client cannot be asked|protocol revision of the client/;

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

/** Whether a request was served: a result, a session, a stream, or an accepted message. */
const isServed = ({ status, headers, body }) =>
  status === 202 ||
  headers['mcp-session-id'] !== undefined ||
  (headers['content-type'] ?? '').startsWith('text/event-stream') ||
  (status === 200 && body.includes('"jsonrpc"'));

/** No input makes the server fail internally. */
export function internalFaults(message) {
  if (message?.error?.code !== INTERNAL || OF_THE_CLIENT.test(message.error.message)) return [];
  return [fault('server-error', `an internal error: ${JSON.stringify(message.error).slice(0, 300)}`)];
}

/** A client receives only its own marks where callers are told apart, and where nothing is shared. */
export function leaks(room, client, text) {
  const others = new Set(
    [...text.matchAll(/mark-[0-9a-z]+-[0-9]+/g)].map(([mark]) => mark).filter((mark) => mark !== client.mark),
  );
  // Without caller identification, the id of a session gives access to it.
  if (!room.isGuarded && client.steps.some((step) => JSON.stringify(step).includes('.session}}'))) return [];
  return others.size === 0
    ? []
    : [fault('wrong-recipient', `${client.mark} received what belongs to ${[...others].join(', ')}`)];
}

/** Runs the clients of a case at the same time; a client with `after` waits for that other one. */
export function runClients(clients, run) {
  const runs = [];
  for (const [index, client] of clients.entries())
    runs.push(Promise.resolve(runs[client.after]).then(() => run(client, index)));
  return Promise.all(runs);
}

/** Rules that the case itself brings: see `fuzz/README.md`. */
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

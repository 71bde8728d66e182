// Samples of work that takes several messages, with several conversations at a time.
import { Agent } from 'node:http';
import { costOf } from '../measure/cost.mjs';
import { LineConversation } from '../measure/line-conversation.mjs';
import { startSubject } from '../measure/processes.mjs';
import { post } from './http-sessions.mjs';
import { headersOf, initialize, INITIALIZED, request } from './wire.mjs';

const LANES = 8;
let lastId = 0;

export const CONVERSATION_METRICS = [
  { key: 'rate', title: 'calls/s', better: 'more' },
  { key: 'cpu', title: 'server CPU µs', better: 'less' },
];

async function repeat(work, ms) {
  const until = performance.now() + ms;
  let count = 0;
  const lane = async () => {
    do {
      await work();
      count += 1;
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return count;
}

async function sampleWork(server, work, { warmupMs, sampleMs }) {
  await repeat(work, warmupMs);
  const { result: count, seconds, cpu, foreign } = await costOf([server], () => repeat(work, sampleMs));
  return { rate: count / seconds, cpu: cpu[0] / count, foreign };
}

/** The message of an answer, whether it came as JSON or as the last event of a stream. */
const messageOf = (text) => JSON.parse(text.startsWith('{') ? text : text.slice(text.lastIndexOf('data: {') + 6));

/**
 * Over HTTP on the newer wire, each request on its own.
 * @param {{ subject: string, kit: string }} variant
 * @param {object} capabilities the capabilities that the client declares
 * @param {(ask: (method: string, params: object) => Promise<object>) => Promise<void>} conversation made again and again; `ask` gives a result
 */
export async function sampleOverHttp({ subject, kit }, settings, { capabilities, conversation }) {
  const server = await startSubject(subject, 'http', { mode: 'per-request', kit });
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  const ask = async (method, params) => {
    const message = request('per-request', { id: ++lastId, method, params, capabilities });
    const { status, text } = await post(
      { port: server.port, agent, headers: headersOf('per-request', message) },
      message,
    );
    if (status !== 200) throw new Error(`${status} ${text.slice(0, 300)}`);
    return resultOf(messageOf(text));
  };
  try {
    return await sampleWork(server, () => conversation(ask), settings);
  } finally {
    agent.destroy();
    await server.stop();
  }
}

/** Over stdio on the older wire; questions of the server are answered by `answerTo`. */
export async function sampleOverStdio({ subject, kit }, settings, { capabilities, conversation, answerTo }) {
  const server = await startSubject(subject, 'stdio', { kit }, { pipes: true });
  try {
    const lines = new LineConversation(server.child, answerTo);
    const ask = async (method, params) => resultOf(await lines.ask({ jsonrpc: '2.0', id: ++lastId, method, params }));
    await lines.ask(initialize({ id: ++lastId, capabilities }));
    lines.tell(INITIALIZED);
    return await sampleWork(server, () => conversation(ask), settings);
  } finally {
    await server.stop();
  }
}

function resultOf({ result, error }) {
  if (result === undefined) throw new Error(`An error was answered: ${JSON.stringify(error)}`);
  return result;
}

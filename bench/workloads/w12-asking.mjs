import { Agent } from 'node:http';
import { costOf } from '../measure/cost.mjs';
import { LineConversation } from '../measure/line-conversation.mjs';
import { startSubject } from '../measure/processes.mjs';
import { post } from './http-sessions.mjs';
import { headersOf, initialize, INITIALIZED, request } from './wire.mjs';

const LANES = 8;
const MOST_ROUNDS = 5;
const CAPABILITIES = { elicitation: { form: {} } };
const YES = { action: 'accept', content: { yes: true } };
const RIGHT = 'asked 3';
let lastId = 0;

/** The message of an answer, whether it came as JSON or as the only event of a stream. */
const messageOf = (text) => JSON.parse(text.startsWith('{') ? text : /^data: (\{.*)$/m.exec(text)[1]);

/** One call over HTTP on the newer wire: it is made again with the answers until it is complete. */
async function askInRounds({ port, agent }) {
  let more = {};
  for (let round = 0; round <= MOST_ROUNDS; round += 1) {
    const params = { name: 'ask', arguments: {}, ...more };
    const message = request('per-request', { id: ++lastId, method: 'tools/call', params, capabilities: CAPABILITIES });
    const { status, text } = await post({ port, agent, headers: headersOf('per-request', message) }, message);
    if (text.includes(RIGHT)) {
      if (round === 3) return;
      throw new Error(`It asked in ${round} rounds instead of 3.`);
    }
    const { result } = messageOf(text);
    if (result?.resultType !== 'input_required') throw new Error(`${status} ${text.slice(0, 300)}`);
    const inputResponses = Object.fromEntries(Object.keys(result.inputRequests).map((key) => [key, YES]));
    more = { inputResponses, ...(result.requestState === undefined ? {} : { requestState: result.requestState }) };
  }
  throw new Error(`It asked more than ${MOST_ROUNDS} times.`);
}

/** Keeps a few calls going for so long. */
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

async function sampleRounds({ subject }, settings) {
  const server = await startSubject(subject, 'http', { mode: 'per-request', kit: 'ask' });
  const agent = new Agent({ keepAlive: true, maxSockets: LANES });
  try {
    return await sampleWork(server, () => askInRounds({ port: server.port, agent }), settings);
  } finally {
    agent.destroy();
    await server.stop();
  }
}

async function sampleLive({ subject }, settings) {
  const server = await startSubject(subject, 'stdio', { kit: 'ask' }, { pipes: true });
  try {
    const conversation = new LineConversation(server.child, () => YES);
    await conversation.ask(initialize({ id: ++lastId, capabilities: CAPABILITIES }));
    conversation.tell(INITIALIZED);
    const work = async () => {
      const params = { name: 'ask', arguments: {} };
      const answer = await conversation.ask({ jsonrpc: '2.0', id: ++lastId, method: 'tools/call', params });
      if (!JSON.stringify(answer).includes(RIGHT)) throw new Error(JSON.stringify(answer).slice(0, 300));
    };
    return await sampleWork(server, work, settings);
  } finally {
    await server.stop();
  }
}

const METRICS = [
  { key: 'rate', title: 'calls/s', better: 'more' },
  { key: 'cpu', title: 'server CPU µs', better: 'less' },
];
const variant = (subject) => ({ label: subject, subject });

export const w12a = {
  id: 'w12a',
  title: 'asking in three rounds: HTTP, 2026-07-28 wire',
  note: 'A call is four requests. Crosspoint seals the state between rounds, official-v2 signs it, tmcp and raw do neither.',
  metrics: METRICS,
  reference: 'raw',
  sample: sampleRounds,
  variants: ['raw', 'crosspoint', 'tmcp', 'official-v2'].map(variant),
  targets: [],
};

export const w12b = {
  id: 'w12b',
  title: 'asking three times while the call waits: stdio, 2025-11-25 wire',
  metrics: METRICS,
  reference: 'raw',
  sample: sampleLive,
  variants: ['raw', 'crosspoint', 'tmcp', 'official-v1', 'official-v2'].map(variant),
  targets: [],
};

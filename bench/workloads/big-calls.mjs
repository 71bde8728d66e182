import { lineForLength, oneConnection, postForLength } from '../measure/big-answers.mjs';
import { costOf } from '../measure/cost.mjs';
import { startSubject } from '../measure/processes.mjs';
import { headersOf, initialize, INITIALIZED, request } from './wire.mjs';

let lastId = 1000;
/** The limit for the bodies of requests where arguments are large. */
const LARGEST_BODY = 64_000_000;

const callBig = (family, bytes) => {
  const params = { name: 'big', arguments: { bytes } };
  return request(family, { id: ++lastId, method: 'tools/call', params });
};

/** Makes `calls` calls, one after the other, and returns the means of a call. */
async function sampleCalls(server, call, { bytes, warmup, calls }) {
  const checked = async () => {
    const length = await call();
    if (length < bytes || length > bytes + 2000) throw new Error(`An answer of ${length} bytes instead of ${bytes}.`);
  };
  for (let left = warmup; left > 0; left -= 1) await checked();
  const { seconds, cpu, foreign, peakRssMb } = await costOf([server], async () => {
    for (let left = calls; left > 0; left -= 1) await checked();
  });
  return { ms: (seconds * 1000) / calls, cpuMs: cpu[0] / 1000 / calls, cpu: cpu[0] / calls, peakRssMb, foreign };
}

/** Answers of the given size over HTTP, on one connection. */
export async function sampleBigHttp({ subject, family = 'handshake', http }, plan) {
  const mode = family === 'handshake' ? 'stateless' : 'per-request';
  const server = await startSubject(subject, 'http', { mode, kit: 'big' });
  const agent = oneConnection();
  try {
    const headers = headersOf(family, callBig(family, plan.bytes), http);
    const call = () =>
      postForLength({ port: server.port, agent, headers }, JSON.stringify(callBig(family, plan.bytes)));
    return await sampleCalls(server, call, plan);
  } finally {
    agent.destroy();
    await server.stop();
  }
}

/** Arguments of the given size over HTTP, on one connection; the answer is short. */
export async function sampleBigArgument({ subject }, { bytes, warmup, calls }) {
  const options = { mode: 'stateless', kit: 'take', maxBodyBytes: LARGEST_BODY };
  const server = await startSubject(subject, 'http', options);
  const agent = oneConnection();
  try {
    const params = { name: 'take', arguments: { text: 'x'.repeat(bytes) } };
    const message = request('handshake', { id: ++lastId, method: 'tools/call', params });
    const body = Buffer.from(JSON.stringify(message));
    const headers = { ...headersOf('handshake', message), 'content-length': body.length };
    const call = () => postForLength({ port: server.port, agent, headers }, body);
    return await sampleCalls(server, call, { bytes: 20, warmup, calls });
  } finally {
    agent.destroy();
    await server.stop();
  }
}

/** Answers of the given size over stdio. */
export async function sampleBigStdio({ subject, family = 'handshake' }, plan) {
  const server = await startSubject(subject, 'stdio', { kit: 'big' }, { pipes: true });
  try {
    if (family === 'handshake') {
      await lineForLength(server.child, JSON.stringify(initialize()));
      server.child.stdin.write(`${JSON.stringify(INITIALIZED)}\n`);
    }
    const call = () => lineForLength(server.child, JSON.stringify(callBig(family, plan.bytes)));
    return await sampleCalls(server, call, plan);
  } finally {
    await server.stop();
  }
}

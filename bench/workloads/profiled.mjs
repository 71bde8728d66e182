// The cases of bench/profile.mjs: those of the workloads, with the profiler on in the measured process.
import { DRIVER_CORE, startSubject, subjectCommand } from '../measure/processes.mjs';
import { ID_MARK } from '../measure/http-load.mjs';
import { StdioLoad } from '../measure/stdio-load.mjs';
import { requestsOf } from './http-calls.mjs';
import { openSessions } from './http-sessions.mjs';
import { greet, HANDSHAKE, IN_FLIGHT } from './stdio-calls.mjs';
import { callAdd, request, SUM_IS_RIGHT, withIdMark } from './wire.mjs';

const WARM_MS = 2000;

/** Warms up, profiles, and stops all processes it started. */
async function profiled(watched, run, ms, others = []) {
  try {
    await run(WARM_MS);
    await watched.call('startProfile');
    const { errors, firstError } = await run(ms);
    if (errors > 0) throw new Error(`${errors} wrong answers: ${firstError}`);
    return await watched.call('stopProfile');
  } finally {
    await Promise.all([watched, ...others].map((process) => process.stop()));
  }
}

const http = (title, mode, family) => ({
  title,
  async take(ms) {
    const server = await startSubject('crosspoint', 'http', { mode });
    const driver = await startSubject('driver', 'http-load', {}, { core: DRIVER_CORE });
    const sessions = mode === 'session' ? await openSessions(server.port, { count: IN_FLIGHT }) : [];
    const requests = requestsOf({ family }, sessions);
    await driver.call('open', { port: server.port, requests, expect: [SUM_IS_RIGHT] });
    return profiled(server, (time) => driver.call('run', time), ms, [driver]);
  },
});

const stdioServer = (title, family, inFlight) => ({
  title,
  async take(ms) {
    const server = await startSubject('crosspoint', 'stdio', {}, { pipes: true });
    const line = withIdMark(request(family, callAdd));
    const load = new StdioLoad(server.child, { line, mark: ID_MARK, expect: SUM_IS_RIGHT });
    await greet(load, family);
    return profiled(server, (time) => load.run({ ms: time, inFlight }), ms);
  },
});

/** A process that calls: the client of a stdio server, or both ends at once. */
const caller = (title, part, { inFlight, options }) => ({
  title,
  async take(ms) {
    const process = await startSubject('crosspoint', part, options(), { core: DRIVER_CORE });
    return profiled(process, (time) => process.call('run', { ms: time, inFlight }), ms);
  },
});

function withOwnServer() {
  const [command, ...args] = subjectCommand('crosspoint', 'stdio', {});
  return { command, args, revision: HANDSHAKE };
}

export const PROFILED = [
  http('HTTP, handshake wire', 'stateless', 'handshake'),
  http('HTTP, per-request wire', 'per-request', 'per-request'),
  http('HTTP session', 'session', 'handshake'),
  stdioServer('stdio server, one call at a time', 'handshake', 1),
  stdioServer('stdio server, 64 in flight', 'handshake', IN_FLIGHT),
  caller('stdio client, 64 in flight', 'stdio-client', { inFlight: IN_FLIGHT, options: withOwnServer }),
  caller('in one process', 'memory', { inFlight: 1, options: () => ({ revision: HANDSHAKE }) }),
];

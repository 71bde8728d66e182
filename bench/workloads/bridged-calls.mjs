// Samples of calls through a bridge: one client, one server, and the bridge between them in a process of its own.
import { costOf } from '../measure/cost.mjs';
import { ID_MARK } from '../measure/http-load.mjs';
import { DRIVER_CORE, startedBy, startSubject, subjectCommand } from '../measure/processes.mjs';
import { StdioLoad } from '../measure/stdio-load.mjs';
import { requestsOf } from './http-calls.mjs';
import { openSessions } from './http-sessions.mjs';
import { greet, IN_FLIGHT } from './stdio-calls.mjs';
import { callAdd, request, SUM_IS_RIGHT, withIdMark } from './wire.mjs';

/** Least number of warm-up calls: after fewer, much of a bridge is not compiled yet. A slow one is warmed up for a few rounds and no longer. */
const WARM_CALLS = 15_000;
const WARM_ROUNDS = 4;

/** The server, the same behind all bridges. It shares the driver's core, so that a bridge has one for itself. */
async function startServer({ subject, to: { carrier, family } }) {
  const options = { revisions: family, mode: family === 'handshake' ? 'stateless' : 'per-request' };
  if (carrier === 'http') {
    const server = await startSubject('crosspoint', 'http', options, { core: DRIVER_CORE });
    return { server, target: { url: `http://127.0.0.1:${server.port}/mcp` } };
  }
  if (subject === 'direct')
    return { server: await startSubject('crosspoint', 'stdio', options, { core: DRIVER_CORE, pipes: true }) };
  return { server: undefined, target: { command: subjectCommand('crosspoint', 'stdio', options, DRIVER_CORE) } };
}

/** Calls over HTTP: so many connections, with one request at a time on each, in one session where the bridge has them. */
async function httpLoad({ port }, { subject, from: { family } }) {
  const driver = await startSubject('driver', 'http-load', {}, { core: DRIVER_CORE });
  const hasSession = family === 'handshake' && subject !== 'direct' && subject !== 'bare';
  const [session] = hasSession ? await openSessions(port, { count: 1, atOnce: 1 }) : [];
  return {
    driver,
    async open(connections) {
      const sessions = Array.from({ length: connections }, () => session);
      const requests = requestsOf({ family, connections }, sessions);
      await driver.call('open', { port, requests, expect: [SUM_IS_RIGHT] });
      return (ms) => driver.call('run', ms);
    },
  };
}

/** Calls over stdin and stdout. Times of single calls are known only where there is one at a time. */
async function stdioLoad({ child }, { from: { family } }) {
  const line = withIdMark(request(family, callAdd));
  const load = new StdioLoad(child, { line, mark: ID_MARK, expect: SUM_IS_RIGHT });
  await greet(load, family);
  return {
    driver: undefined,
    open: async (inFlight) => async (ms) => {
      const run = await load.run({ ms, inFlight });
      return inFlight === 1 ? { ...run, p50: (run.seconds / run.count) * 1e6 } : run;
    },
  };
}

async function measure({ bridge, server, driver }, run, { warmupMs, sampleMs }) {
  for (let warm = 0, tries = 0; warm < WARM_CALLS && tries < WARM_ROUNDS; tries += 1) {
    const { count, errors, firstError } = await run(warmupMs);
    if (errors > 0) return { errors, firstError };
    warm += count;
  }
  const children = bridge === undefined ? [] : startedBy(bridge.pid);
  const parts = [bridge, server, driver].filter((part) => part !== undefined);
  const { result, cpu, others, foreign } = await costOf(parts, () => run(sampleMs), children);
  const { count, seconds, p50, errors, firstError } = result;
  const spent = [...cpu.slice(0, driver === undefined ? undefined : -1), ...others].reduce((sum, one) => sum + one, 0);
  const own = bridge === undefined ? undefined : cpu[0] / count;
  return { rate: count / seconds, cpu: own, all: spent / count, p50, foreign, errors, firstError };
}

/** One sample: one call at a time, then 64 in flight. */
export async function sampleBridged(variant, settings) {
  const { subject, from, to } = variant;
  const { server, target } = await startServer(variant);
  const options = { face: from.carrier, family: to.family, ...target };
  const bridge =
    subject === 'direct'
      ? undefined
      : await startSubject(subject, 'bridge', options, { pipes: from.carrier === 'stdio' });
  const carrier = bridge === undefined ? to.carrier : from.carrier;
  const load = await (carrier === 'http' ? httpLoad : stdioLoad)(bridge ?? server, variant);
  const processes = { bridge, server, driver: load.driver };
  try {
    const one = await measure(processes, await load.open(1), settings);
    if (one.errors > 0) return one;
    const many = await measure(processes, await load.open(IN_FLIGHT), settings);
    return {
      oneCpu: one.cpu,
      oneAll: one.all,
      oneP50: one.p50,
      manyRate: many.rate,
      manyCpu: many.cpu,
      manyAll: many.all,
      foreign: one.foreign === undefined ? undefined : Math.max(one.foreign, many.foreign),
      errors: many.errors,
      firstError: many.firstError,
    };
  } finally {
    for (const process of Object.values(processes)) await process?.stop();
  }
}

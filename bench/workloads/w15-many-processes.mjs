// What a call costs when several processes share a port: processor time alone, because the driver has a core of its own and they share the other.
import { costOf } from '../measure/cost.mjs';
import { DRIVER_CORE, startSubject } from '../measure/processes.mjs';
import { CONNECTIONS, requestsOf } from './http-calls.mjs';
import { openSessions } from './http-sessions.mjs';
import { SUM_IS_RIGHT } from './wire.mjs';

async function sampleMany({ subject, mode, processes }, { warmupMs, sampleMs }) {
  const server = await startSubject(subject, 'http-many', { mode, processes });
  const driver = await startSubject('driver', 'http-load', {}, { core: DRIVER_CORE });
  try {
    const workers = await server.call('workers');
    const count = { count: CONNECTIONS, atOnce: CONNECTIONS };
    const sessions = mode === 'session' ? await openSessions(server.port, count) : [];
    const requests = requestsOf({}, sessions);
    await driver.call('open', { port: server.port, requests, expect: [SUM_IS_RIGHT] });
    const warm = await driver.call('run', warmupMs);
    if (warm.errors > 0) return { errors: warm.errors, firstError: warm.firstError };
    const { result, cpu, others, foreign } = await costOf(
      [server, driver],
      () => driver.call('run', sampleMs),
      workers,
    );
    const spent = others.reduce((sum, one) => sum + one, cpu[0]);
    return { cpu: spent / result.count, foreign, errors: result.errors, firstError: result.firstError };
  } finally {
    await Promise.all([server.stop(), driver.stop()]);
  }
}

const variant = (mode, processes) => ({
  label: `${mode === 'session' ? 'sessions in SQLite' : 'stateless'}, ${processes === 1 ? 'one process' : `${processes} processes`}`,
  subject: 'crosspoint',
  mode,
  processes,
  reference: `${mode === 'session' ? 'sessions in SQLite' : 'stateless'}, one process`,
});

export const w15 = {
  id: 'w15',
  title: 'HTTP from one and from two processes on one port',
  note: 'node:cluster deals the connections out in turn; processor time of all processes, the one that deals included. They share one core here, so a rate would say nothing.',
  metrics: [{ key: 'cpu', title: 'CPU µs a call, all processes', better: 'less' }],
  reference: 'one process',
  sample: sampleMany,
  variants: [variant('stateless', 1), variant('stateless', 2), variant('session', 1), variant('session', 2)],
  targets: [],
};

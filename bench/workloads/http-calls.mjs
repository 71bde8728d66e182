// Samples of HTTP under load: one server, 64 connections, one request at a time on each.
import { costOf } from '../measure/cost.mjs';
import { DRIVER_CORE, startSubject } from '../measure/processes.mjs';
import { callAdd, headersOf, request, SUM_IS_RIGHT, withIdMark } from './wire.mjs';

export const CONNECTIONS = 64;
export const HTTP_METRICS = [
  { key: 'rate', title: 'requests/s', better: 'more' },
  { key: 'cpu', title: 'server CPU µs', better: 'less' },
  { key: 'p50', title: 'p50 µs', better: 'less' },
  { key: 'p99', title: 'p99 µs', better: 'less' },
];

/** The requests of all connections: `tools/call` of `add` unless the variant says otherwise. */
export function requestsOf(
  { family = 'handshake', message = callAdd, http = {}, connections = CONNECTIONS },
  sessions = [],
) {
  const body = withIdMark(request(family, message));
  return Array.from({ length: connections }, (_, index) => ({
    path: '/mcp',
    headers: headersOf(family, message, { ...http, session: sessions[index] }),
    body,
  }));
}

/** Least number of warm-up requests: a slow server has seen few in the same time, and must not be measured before its code is compiled. */
const WARM_REQUESTS = 1500;

async function warmUp(driver, ms) {
  const first = await driver.call('run', ms);
  return first.errors > 0 || first.count >= WARM_REQUESTS ? first : driver.call('run', ms);
}

/**
 * Takes one sample of a variant: a fresh server, a warm-up, then the load that counts.
 * @param {{ subject: string, mode: string, serverOptions?: object, expect?: string[], openSessions?: Function }} variant
 */
export async function sampleHttp(variant, settings) {
  const { subject, mode, serverOptions } = variant;
  const server = await startSubject(subject, 'http', { mode, ...serverOptions });
  const driver = await startSubject('driver', 'http-load', {}, { core: DRIVER_CORE });
  try {
    const sessions = await variant.openSessions?.(server.port, variant);
    return await measureLoad({ server, driver, variant, sessions }, settings);
  } finally {
    await Promise.all([server.stop(), driver.stop()]);
  }
}

/** Warms a server up and measures it under the load of a variant. */
export async function measureLoad({ server, driver, variant, sessions }, { warmupMs, sampleMs }) {
  const { expect = [SUM_IS_RIGHT] } = variant;
  await driver.call('open', { port: server.port, requests: requestsOf(variant, sessions), expect });
  const { errors: wrong, firstError: first } = await warmUp(driver, warmupMs);
  if (wrong > 0) return { errors: wrong, firstError: first };
  const { result, cpu, foreign } = await costOf([server, driver], () => driver.call('run', sampleMs), variant.pids);
  const { count, seconds, p50, p99, errors, firstError } = result;
  const busy = cpu[0] / 1e6 / seconds;
  const driverBusy = cpu[1] / 1e6 / seconds;
  return { rate: count / seconds, cpu: cpu[0] / count, p50, p99, busy, driverBusy, foreign, errors, firstError };
}

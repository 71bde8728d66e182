import { costOf } from '../measure/cost.mjs';
import { ID_MARK } from '../measure/http-load.mjs';
import { DRIVER_CORE, startSubject, subjectCommand } from '../measure/processes.mjs';
import { StdioLoad } from '../measure/stdio-load.mjs';
import {
  callAdd,
  HANDSHAKE,
  initialize,
  INITIALIZED,
  PER_REQUEST,
  request,
  SUM_IS_RIGHT,
  withIdMark,
} from './wire.mjs';

export const IN_FLIGHT = 64;

/** Opens the conversation as the family has it: with a handshake, or not at all. */
export async function greet(load, family) {
  if (family !== 'handshake') return;
  await load.ask(initialize());
  load.tell(INITIALIZED);
}

/** Least number of warm-up calls: a subject that has made fewer is not compiled yet, and is warmed up once more. */
const WARM_CALLS = 20_000;

async function warmUp(run, plan) {
  const { count } = await run(plan);
  if (count < WARM_CALLS) await run(plan);
}

function wrong(...runs) {
  const { errors, firstError } = runs.find((run) => run.errors > 0) ?? { errors: 0 };
  return { errors, firstError };
}

/** A server under a driver that uses none of the libraries: the cost of the server alone, one call after the other and 64 at a time. */
export async function sampleStdioServer({ subject, family, serverOptions }, { warmupMs, sampleMs }) {
  const server = await startSubject(subject, 'stdio', serverOptions, { pipes: true });
  try {
    const line = withIdMark(request(family, callAdd));
    const load = new StdioLoad(server.child, { line, mark: ID_MARK, expect: SUM_IS_RIGHT });
    await greet(load, family);
    await warmUp((plan) => load.run(plan), { ms: warmupMs / 2, inFlight: IN_FLIGHT });
    await load.run({ ms: warmupMs / 2, inFlight: 1 });
    const one = await costOf([server], () => load.run({ ms: sampleMs, inFlight: 1 }));
    const many = await costOf([server], () => load.run({ ms: sampleMs, inFlight: IN_FLIGHT }));
    return { ...figuresOf(one, many), ...wrong(one.result, many.result) };
  } finally {
    await server.stop();
  }
}

/** A library's client, in a process of its own, with the server it starts. */
export async function sampleStdioClient({ client, server, revision = HANDSHAKE }, { warmupMs, sampleMs }) {
  const [command, ...args] = subjectCommand(server, 'stdio', {});
  const process = await startSubject(client, 'stdio-client', { command, args, revision }, { core: DRIVER_CORE });
  try {
    const pids = [await process.call('serverPid')];
    await warmUp((plan) => process.call('run', plan), { ms: warmupMs / 2, inFlight: IN_FLIGHT });
    await process.call('run', { ms: warmupMs / 2, inFlight: 1 });
    const one = await costOf([process], () => process.call('run', { ms: sampleMs, inFlight: 1 }), pids);
    const many = await costOf([process], () => process.call('run', { ms: sampleMs, inFlight: IN_FLIGHT }), pids);
    const serverCpu = {
      oneServerCpu: one.others[0] / one.result.count,
      manyServerCpu: many.others[0] / many.result.count,
    };
    return { ...figuresOf(one, many), ...serverCpu, ...wrong(one.result, many.result) };
  } finally {
    await process.stop();
  }
}

/** A client and a server in one process. */
export async function sampleMemory({ subject, revision }, { warmupMs, sampleMs }) {
  const process = await startSubject(subject, 'memory', { revision });
  try {
    await warmUp((plan) => process.call('run', plan), { ms: warmupMs, inFlight: 1 });
    const one = await costOf([process], () => process.call('run', { ms: sampleMs, inFlight: 1 }));
    const many = await costOf([process], () => process.call('run', { ms: sampleMs, inFlight: IN_FLIGHT }));
    return { ...figuresOf(one, many), ...wrong(one.result, many.result) };
  } finally {
    await process.stop();
  }
}

function figuresOf(one, many) {
  return {
    oneRate: one.result.count / one.result.seconds,
    oneCpu: one.cpu[0] / one.result.count,
    manyRate: many.result.count / many.result.seconds,
    manyCpu: many.cpu[0] / many.result.count,
    manyBusy: many.cpu[0] / 1e6 / many.result.seconds,
    foreign: one.foreign === undefined ? undefined : Math.max(one.foreign, many.foreign),
  };
}

export { HANDSHAKE, PER_REQUEST };

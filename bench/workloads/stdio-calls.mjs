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
const LOTS_IN_FLIGHT = 1024;

/** Phases of one and of 64 calls in flight, by turns. */
const MIXED_PHASES = 8;

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

/** A client and a server in one process, with many calls in flight from the beginning: what ages does so before it is measured. */
export async function sampleManyInFlight({ subject, revision, kit }, { warmupMs, sampleMs }) {
  const process = await startSubject(subject, 'memory', { revision, kit });
  const run = (inFlight, ms = sampleMs) => process.call('run', { ms, inFlight });
  try {
    await warmUp((plan) => process.call('run', plan), { ms: warmupMs, inFlight: IN_FLIGHT });
    const many = await costOf([process], () => run(IN_FLIGHT));
    const lots = await costOf([process], () => run(LOTS_IN_FLIGHT));
    for (let phase = 0; phase < MIXED_PHASES; phase += 1)
      await run(phase % 2 === 0 ? 1 : IN_FLIGHT, sampleMs / MIXED_PHASES);
    const mixed = await costOf([process], () => run(IN_FLIGHT));
    const runs = [many, lots, mixed];
    return {
      ...rateAndCpu('many', many),
      ...rateAndCpu('lots', lots),
      ...rateAndCpu('mixed', mixed),
      foreign: many.foreign === undefined ? undefined : Math.max(...runs.map(({ foreign }) => foreign)),
      ...wrong(...runs.map(({ result }) => result)),
    };
  } finally {
    await process.stop();
  }
}

const rateAndCpu = (name, { result, cpu }) => ({
  [`${name}Rate`]: result.count / result.seconds,
  [`${name}Cpu`]: cpu[0] / result.count,
});

function figuresOf(one, many) {
  return {
    ...rateAndCpu('one', one),
    ...rateAndCpu('many', many),
    manyBusy: many.cpu[0] / 1e6 / many.result.seconds,
    foreign: one.foreign === undefined ? undefined : Math.max(one.foreign, many.foreign),
  };
}

export { HANDSHAKE, PER_REQUEST };

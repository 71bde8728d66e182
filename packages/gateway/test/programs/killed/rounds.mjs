// Rounds of killing: which process dies in which moment comes from a seed, so that a round can be run again.
import { Group, LIMIT_MS, until, wait } from './group.mjs';

const VICTIMS = ['bridge', 'upstream', 'client'];
const FAMILIES = ['handshake', 'per-request'];
const MOMENTS = { work: 'call', ask: 'question', job: 'task' };

/** Every victim, behind every carrier, with every pair of families. */
export const CELLS = VICTIMS.flatMap((victim) =>
  ['http', 'stdio'].flatMap((carrier) =>
    FAMILIES.flatMap((down) => FAMILIES.map((up) => ({ victim, carrier, down, up }))),
  ),
);

/** Numbers between 0 and 1 that depend on the seed alone. */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Kills the victim of a cell so many times, and returns what the calls came to. Rejects with the first thing that is wrong, and how to see it again. */
export async function killIn(cell, { kills, seed }) {
  const random = randomFrom(seed);
  const group = new Group(cell);
  const outcomes = {};
  try {
    await group.open();
    for (let round = 0; round < kills; round += 1) await killOnce(group, { round, random, outcomes });
    await group.close();
  } catch (error) {
    await group.close().catch(() => {});
    error.message = `${error.message} (seed ${seed}, ${JSON.stringify(cell)})`;
    throw error;
  }
  return outcomes;
}

async function killOnce(group, { round, random, outcomes }) {
  const { victim } = group.cell;
  const pick = (list) => list[Math.floor(random() * list.length)];
  const isHeld = random() < 0.6;
  group.answers(!isHeld);
  const kinds = [pick(Object.keys(MOMENTS)), ...Object.keys(MOMENTS).filter(() => random() < 0.4)];
  const calls = kinds.map((kind, at) => ({ kind, id: `${round}-${at}` }));
  const open = calls.map(({ kind, id }) => ({ kind, id, heard: group.call(kind, id) }));
  if (isHeld) await Promise.all(open.map(inTheMiddle));
  await wait(random() * (isHeld ? 30 : 300));
  const before = open.map(({ heard }) => ({ isOver: isOver(heard), asked: heard.asked.length }));
  await group.kill();
  await wait(random() * 200);
  await group.restart();
  group.answers(true);
  if (victim !== 'client') {
    const waiting = () => open.filter(({ heard }) => !isOver(heard));
    await until(
      () => waiting().length === 0,
      () => `the end of ${JSON.stringify(waiting())}`,
    );
  }
  for (const [at, one] of open.entries()) {
    const expected = before[at].isOver || !isHeld ? 'either' : expectation(group.cell, one.kind);
    await check(group, one, expected);
    const kind = `${MOMENTS[one.kind]}: ${isOver(one.heard) ? ('result' in one.heard ? 'answered' : 'error') : 'killed'}`;
    outcomes[kind] = (outcomes[kind] ?? 0) + 1;
  }
  await goesOn(group, `${round}-after`);
}

const isOver = (heard) => 'result' in heard || 'error' in heard;

/** The call has begun at the server, its first question is with the client, or its task has. */
function inTheMiddle({ kind, heard, id }) {
  return until(() => isOver(heard) || heard.began || heard.asked.length > 0, `the middle of ${kind} ${id}`);
}

/** How a call must end that was open, and had asked, when the victim was killed. */
function expectation({ victim, carrier, down, up }, kind) {
  // A client with a session may come back to it, and a task belongs to no connection.
  if (victim === 'client')
    return kind === 'ask' && up === 'handshake' && down === 'per-request' ? 'cancelled' : 'either';
  if (kind === 'work') return 'either';
  // The state of a call between rounds is with its client: no process needs to remember it.
  if (kind === 'ask' && up === 'per-request' && (victim === 'upstream' || down === 'per-request'))
    // The first message to a child that has just died may be lost with it.
    return victim === 'upstream' && carrier === 'stdio' ? 'either' : 'answered';
  if (victim === 'bridge' && carrier === 'http' && (kind === 'job' || down === 'per-request')) return 'answered';
  if (victim === 'bridge' && carrier === 'stdio' && kind === 'ask' && down === 'per-request') return 'lost';
  return kind === 'ask' && down === 'handshake' && victim === 'bridge' ? 'either' : 'error';
}

async function check(group, { kind, id, heard }, expected) {
  const shown = () => JSON.stringify({ kind, id, heard, noted: group.noted(id), expected });
  const fail = (what) => {
    throw new Error(`${what}: ${shown()}`);
  };
  const hasEnded = () => group.noted(id).some((what) => what === 'cancelled' || what === 'second answered');
  if (expected === 'cancelled') await until(hasEnded, () => `the end at the server of ${shown()}`);
  const noted = group.noted(id);
  const times = (what) => noted.filter((one) => one === what).length;
  for (const what of ['run', 'first answered', 'second answered']) if (times(what) > 1) fail(`${what} more than once`);
  if (heard.isTwice) fail('The client was answered twice');
  const stray = group.noted().find((one) => one.what === 'problem' && !one.id.includes('is closed'));
  if (stray) fail(`The server was sent what it had not asked for: ${stray.id}`);
  if ('result' in heard) {
    const right = kind === 'work' ? `worked ${id}` : `first-${id} second-${id}`;
    if (heard.result !== right) fail('A wrong result');
    if (times('run') !== 1) fail('A result without a run');
    if (kind !== 'work' && times('second answered') !== 1) fail('A result without its answers');
  }
  if ('error' in heard && !(heard.error.length > 10)) fail('An error that says nothing');
  if (expected === 'answered' && !('result' in heard)) fail('It should have been answered');
  if (expected === 'error' && !('error' in heard)) fail('It should have failed');
  if (expected === 'lost' && !heard.error?.includes('not known'))
    fail('It should have been told that the call is lost');
}

/** The survivors work on, within their limit. */
async function goesOn(group, id) {
  for (const end = Date.now() + LIMIT_MS; ;) {
    const heard = group.call('ask', id);
    await until(() => isOver(heard), `an answer for ${id}`);
    if ('result' in heard) return;
    // A connection whose loss nobody had noticed may cost one more call.
    if (Date.now() > end) throw new Error(`After a kill calls fail: ${heard.error}`);
    id += '+';
    await wait(100);
  }
}

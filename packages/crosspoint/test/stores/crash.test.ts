import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dump } from '../fixtures/crash/faults.mjs';
import { faultsOf, forEach, runProgram, type CrashedStore, type Fault } from './crashes.ts';
import { hasRedis, startRedis, type PrivateRedis } from './redis-server.ts';

const isInstalled = await hasRedis();
if (!isInstalled) console.log('redis-server is not installed here: what needs Redis is skipped.');

const DOCS = new URL('../../../../docs/stores.md', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'crosspoint-crash-'));
let redis: PrivateRedis;
let places = 0;

beforeAll(async () => {
  if (isInstalled) redis = await startRedis();
});
afterAll(async () => {
  await redis?.close();
  rmSync(folder, { recursive: true, force: true });
});

const sqlite: CrashedStore = {
  kind: 'sqlite',
  moments: ['before', 'after'],
  place: () => join(folder, `${(places += 1)}.db`),
};
const ofRedis: CrashedStore = {
  kind: 'redis',
  moments: ['before', 'sent', 'after'],
  place: () => `${redis.url}#{crash ${(places += 1)}}:`,
};

const asText = ({ write, what, moment }: Fault): string => `${moment} ${write}, ${what}`;

/** A line of the table in docs/stores.md. */
function expectInDocs(...cells: (string | number)[]): void {
  const lines = readFileSync(DOCS, 'utf8').split('\n');
  const known = lines.filter((line) => line.startsWith(`| ${cells[0]} | ${cells[1]} |`));
  expect(known).toEqual([`| ${cells.join(' | ')} |`]);
}

/** Kills a program at each of its writes; gives the faults that it was killed at, and where. */
async function killAtEach(
  { kind, moments, place }: CrashedStore,
  program: string,
  args: (kind: string, place: string) => string[],
): Promise<{ fault: Fault; place: string; lines: readonly string[] }[]> {
  const whole = await runProgram(program, args(kind, place()));
  expect([whole.code, whole.signal]).toEqual([0, null]);
  const faults = faultsOf(whole, moments);
  expect(faults.length).toBeGreaterThan(20);
  return forEach(faults, async (fault) => {
    const at = place();
    const { signal, lines } = await runProgram(program, args(kind, at), { FAULT: `${fault.write}:${fault.moment}` });
    expect(signal, asText(fault)).toBe('SIGKILL');
    expect(lines.at(-1), asText(fault)).toBeDefined();
    return { fault, place: at, lines };
  });
}

interface Fact {
  readonly place: string;
  readonly accepted?: string;
  readonly ended?: string;
  readonly ran?: string;
  readonly key?: string;
  readonly recorded?: string;
  readonly tasks?: readonly { taskId: string; status: string; said?: string }[];
  readonly left?: readonly string[];
}

const factsOf = (lines: readonly string[]): Fact[] =>
  lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Fact);

/** Faults of a task whose process was killed, and that was taken up by another. */
function wrongs(before: readonly Fact[], after: readonly Fact[]): string[] {
  const found: string[] = [];
  const [{ tasks = [], left = [] } = {}] = after.filter((fact) => fact.tasks);
  const accepted = before.find((fact) => fact.accepted)?.accepted;
  if (left.length > 0) found.push(`left behind: ${left.join()}`);
  if (accepted !== undefined && !tasks.some(({ taskId }) => taskId === accepted)) found.push('the task is lost');
  for (const { status, said } of tasks)
    if (status !== 'completed' || said !== 'one,two,three') found.push(`the task has come to ${status}, ${said}`);
  for (const step of ['one', 'two', 'three']) {
    const again = after.filter(({ ran }) => ran === step);
    const all = [...before.filter(({ ran }) => ran === step), ...again];
    if (before.some(({ recorded }) => recorded === step) && again.length > 0) found.push(`${step} was run again`);
    if (again.length > 1) found.push(`${step} was run again ${again.length} times`);
    if (new Set(all.map(({ key }) => key)).size > 1) found.push(`${step} had two keys`);
  }
  return found;
}

describe.each([
  ['SQLite', sqlite, 'statements'],
  ['Redis', ofRedis, 'commands'],
] as const)('a process that is killed at any write: %s', (name, store, unit) => {
  const { kind, moments } = store;
  const isHere = kind === 'sqlite' || isInstalled;

  test.skipIf(!isHere)(
    'leaves each change made or not made, and each acknowledged one made',
    async () => {
      const whole = await runProgram('writes', [kind, store.place()], { SNAPSHOTS: 'yes' });
      const states = whole.lines
        .filter((line) => line.startsWith('= '))
        .map((line) => JSON.parse(line.slice(2)) as object);
      const killed = await killAtEach(store, 'writes', (...args) => args);
      for (const { fault, place, lines } of killed) {
        const acknowledged = lines.filter((line) => line === '+').length;
        // Before the first there are no tables.
        if (acknowledged === 0) continue;
        const allowed = states.slice(acknowledged - 1, acknowledged + 1);
        expect(allowed, asText(fault)).toContainEqual(await dump(kind, place));
      }
      // A file whose tables were half made is made whole.
      const [opened] = killed.filter(({ fault, lines }) => fault.moment === 'after' && !lines.includes('+')).slice(-1);
      if (opened) expect((await runProgram('writes', [kind, opened.place])).code).toBe(0);
      expectInDocs(
        name,
        `${states.length} changes of records and logs`,
        `${killed.length / moments.length} ${unit}`,
        killed.length,
        0,
      );
    },
    300_000,
  );

  test.skipIf(!isHere)(
    'loses no task that was accepted, and repeats no step that was recorded',
    async () => {
      const killed = await killAtEach(store, 'task', (...args) => ['run', ...args]);
      const resumed = await runProgram('task', ['resume', kind, ...killed.map(({ place }) => place)]);
      expect(resumed.code).toBe(0);
      const later = factsOf(resumed.lines);
      const wrong = killed.flatMap(({ fault, place, lines }) =>
        wrongs(
          factsOf(lines),
          later.filter((fact) => fact.place === place),
        ).map((what) => `${asText(fault)}: ${what}`),
      );
      expect(wrong).toEqual([]);
      expectInDocs(name, 'a task with three steps', `${killed.length / moments.length} ${unit}`, killed.length, 0);
      const told = killed.filter(({ lines }) => factsOf(lines).some(({ accepted }) => accepted));
      const repeated = later.filter(
        ({ place, ran }) =>
          ran && killed.some((one) => one.place === place && factsOf(one.lines).some((fact) => fact.ran === ran)),
      );
      console.log(
        `${told.length} of them after the task was accepted; steps repeated with their key: ${repeated.length}`,
      );
      expect(told.length).toBeGreaterThan(10);
      expect(repeated.length).toBeGreaterThan(0);
    },
    300_000,
  );
});

import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchHostExit } from '../../src/transports/stdio/host-exit.ts';
import { compileSources, fixture, isRunning, until } from '../fixtures/stdio/compiled.ts';

let compiled: ReturnType<typeof compileSources>;
beforeAll(() => {
  compiled = compileSources();
});
afterAll(() => compiled.remove());

interface Host {
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly server: number[];
  readonly ended: Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  readonly said: () => string;
}

/** A process that has started a server and everything that server starts. */
async function host(how: string): Promise<Host> {
  const child = spawn(process.execPath, [fixture('host.mjs'), compiled.folder, how], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('exit', (code, signal) => resolve([code, signal])),
  );
  await until(() => said.includes('\n'));
  const server = JSON.parse(said.split('\n')[0] ?? '[]') as number[];
  return { kill: (signal) => void child.kill(signal), server, ended, said: () => said };
}

describe('no server survives its host, even one that ignores SIGTERM and the end of its stdin', () => {
  test('process.exit', async () => {
    const { server, ended } = await host('exit');
    expect(await ended).toEqual([0, null]);
    await until(() => !server.some(isRunning));
  });

  test('an uncaught exception', async () => {
    const { server, ended } = await host('crash');
    expect(await ended).toEqual([1, null]);
    await until(() => !server.some(isRunning));
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s, which still ends the host as if nobody listened',
    async (signal) => {
      const { kill, server, ended } = await host('wait');
      kill(signal);
      expect(await ended).toEqual([null, signal]);
      await until(() => !server.some(isRunning));
    },
  );

  test('a handler of the host that exits', async () => {
    const { kill, server, ended } = await host('own-handler');
    kill('SIGTERM');
    expect(await ended).toEqual([4, null]);
    await until(() => !server.some(isRunning));
  });

  test('a handler of the host that goes on keeps the server, and later signals are watched as before', async () => {
    const { kill, server, ended, said } = await host('survives');
    for (const times of [1, 2]) {
      kill('SIGTERM');
      await until(() => said().split('still here').length === times + 1);
    }
    expect(server.every(isRunning)).toBe(true);
    kill('SIGINT');
    expect(await ended).toEqual([null, 'SIGINT']);
    await until(() => !server.some(isRunning));
  });

  test('a handler that ends the host only where it is the only one', async () => {
    const { kill, server, ended } = await host('counts');
    kill('SIGTERM');
    expect(await ended).toEqual([null, 'SIGTERM']);
    await until(() => !server.some(isRunning));
  });

  test('SIGKILL of the host: the end of stdin tells a server that listens to it', async () => {
    const { kill, server, ended } = await host('killed');
    kill('SIGKILL');
    await ended;
    await until(() => !server.some(isRunning));
  });
});

test('nothing listens while nothing is watched', () => {
  const count = (): number[] => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event));
  const before = count();
  const stops = [watchHostExit(() => {}), watchHostExit(() => {})];
  expect(count()).toEqual(before.map((listeners) => listeners + 1));
  for (const stop of stops) stop();
  stops[0]?.();
  expect(count()).toEqual(before);
});

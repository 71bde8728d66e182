import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connectLinked } from 'crosspoint/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { answerQuestions, Inbox, WatchedRoots } from '../../src/index.ts';
import { askingServer } from './asking-server.mjs';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function folders(...names: string[]): {
  readonly at: (name: string) => string;
  readonly uri: (name: string) => string;
} {
  const base = mkdtempSync(join(tmpdir(), 'roots-'));
  ends.push(() => rmSync(base, { recursive: true, force: true }));
  const at = (name: string): string => join(base, name);
  for (const name of names) mkdirSync(at(name));
  return { at, uri: (name) => pathToFileURL(at(name)).href };
}

proves('L-ROOTS-009, L-ROOTS-013, L-ROOTS-014, M-ROOT-003, M-ROOT-005').it(
  'a server learns folders that the user allowed and that can be read, and is told when that changes',
  async () => {
    const { at, uri } = folders('a', 'b');
    const inbox = new Inbox();
    const changed: (() => Promise<void>)[] = [];
    const roots = new WatchedRoots([{ uri: uri('a') }, { uri: uri('b') }, { uri: uri('never') }], {
      intervalMs: 10,
      onchange: () => changed[0]?.(),
    });
    const linked = await connectLinked(askingServer(), {
      revision: '2025-11-25',
      prepare: (client) => {
        const answered = answerQuestions(client, { server: 's', asks: inbox, roots: () => roots.list() });
        changed.push(() => answered.rootsChanged());
      },
    });
    ends.push(
      () => roots.close(),
      () => inbox.close(),
      linked.close,
    );
    const asked: unknown[] = [];
    inbox.watch((change) => {
      if (change.type !== 'asked') return;
      asked.push(change.item.question);
      inbox.answer(change.item.id, { action: 'allow' });
    });
    const seen = async (): Promise<unknown> => {
      const { content } = await linked.client.callTool({ name: 'folders' });
      return content[0]?.type === 'text' && content[0].text;
    };
    const told = (): number => linked.recorder.lines.filter((line) => line.includes('roots/list_changed')).length;
    expect(await seen()).toBe(`${uri('a')} ${uri('b')}`);
    expect(told()).toBe(0);
    renameSync(at('b'), at('moved'));
    await vi.waitFor(() => expect(told()).toBe(1));
    expect(await seen()).toBe(uri('a'));
    renameSync(at('moved'), at('b'));
    await vi.waitFor(() => expect(told()).toBe(2));
    await roots.set([{ uri: uri('b'), name: 'b' }]);
    expect(told()).toBe(3);
    expect(await seen()).toBe(uri('b'));
    expect(asked.at(-1)).toEqual({ roots: [{ uri: uri('b'), name: 'b' }] });
  },
);

it('folders that are no files, and a listener that fails, break nothing', async () => {
  const { at, uri } = folders('a');
  const problems: Error[] = [];
  const given = [{ uri: uri('a') }, { uri: 'https://example.com' }, { uri: 'nothing' }];
  const roots = new WatchedRoots(given, {
    intervalMs: 5,
    onchange: () => Promise.reject(new Error('gone')),
    onproblem: (problem) => problems.push(problem),
  });
  ends.push(() => roots.close());
  expect(await roots.list()).toEqual([{ uri: uri('a') }]);
  // Looked at once before the folder vanishes.
  await roots.set(given);
  rmSync(at('a'), { recursive: true });
  await vi.waitFor(() => expect(problems).toHaveLength(1));
  expect(await roots.list()).toEqual([]);
});

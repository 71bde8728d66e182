import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { McpServer, ResourceTemplate, completable, isCompletable } from '../../src/server/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { proves } from '../requirements/proves.ts';
import { auth, everyRevision, oldestHandshake, stateless, Wire } from './wire.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const info = { name: 'completion', version: '1.0' };
const say = () => ({ messages: [] });
const langs = ['typescript', 'python', 'TypeScript', 'cython', 'ruby'];
const prompt = (name: string) => ({ type: 'ref/prompt', name });

function completing(): McpServer {
  const server = new McpServer(info, { clock: new ManualClock() });
  server.registerPrompt(
    'code',
    {
      argsSchema: {
        lang: completable(z.string(), (value: string) => langs.filter((lang) => lang.toLowerCase().includes(value))),
        frame: completable(z.string(), (_value: string, context) =>
          context?.arguments?.['lang'] === 'python' ? ['flask'] : [],
        ).optional(),
        free: z.string().optional(),
      },
    },
    say,
  );
  server.registerPrompt(
    'many',
    { argsSchema: { n: completable(z3.string(), () => Array.from({ length: 150 }, (_, index) => index)) } },
    say,
  );
  server.registerPrompt(
    'broken',
    { argsSchema: { x: completable(z.string(), () => Promise.reject(new Error('secret'))) } },
    say,
  );
  server.registerResource(
    'repo',
    new ResourceTemplate('repo:///{owner}/{name}', {
      list: undefined,
      complete: { name: (value, context) => [`${context?.arguments?.['owner'] ?? 'no one'}/${value}`] },
    }),
    {},
    () => undefined,
  );
  server.registerResource('plain', 'note:///a', {}, () => undefined);
  return server;
}

describe.each(everyRevision)('completion in %s', (_id, revision) => {
  const ask = async (wire: Wire, ref: unknown, argument: unknown, context?: unknown): Promise<any> =>
    (await wire.result('completion/complete', { ref, argument, ...(context !== undefined && { context }) }, revision))
      .completion;

  proves('L-COMPLETION-001, M-CMP-001').test(
    'completion is declared when anything completes, where the revision has a word for it',
    async () => {
      const declared = await (await Wire.open(completing())).declared(revision);
      expect(declared.completions).toEqual(revision === oldestHandshake ? undefined : {});
      const none = new McpServer(info);
      none.registerPrompt('p', { argsSchema: { x: z.string() } }, say);
      expect(await (await Wire.open(none)).declared(revision)).not.toHaveProperty('completions');
    },
  );

  proves('L-COMPLETION-009, M-CMP-004').test(
    'values are ranked: the same, then beginning alike, then containing',
    async () => {
      const wire = await Wire.open(completing());
      expect(await ask(wire, prompt('code'), { name: 'lang', value: 'py' })).toEqual({
        values: ['python'],
        total: 1,
        hasMore: false,
      });
      expect((await ask(wire, prompt('code'), { name: 'lang', value: 'th' })).values).toEqual(['python', 'cython']);
      expect((await ask(wire, prompt('code'), { name: 'lang', value: 'typescript' })).values).toEqual([
        'typescript',
        'TypeScript',
      ]);
      expect((await ask(wire, prompt('code'), { name: 'lang', value: '' })).values).toEqual(langs);
    },
  );

  proves('L-COMPLETION-004, M-CMP-002').test('a hundred values at most, and how many there are', async () => {
    const completion = await ask(await Wire.open(completing()), prompt('many'), { name: 'n', value: '' });
    expect(completion.values).toHaveLength(100);
    expect(completion).toMatchObject({ total: 150, hasMore: true });
  });

  proves('L-COMPLETION-006').test('a completer works with and without what was chosen before', async () => {
    const wire = await Wire.open(completing());
    const repo = { type: 'ref/resource', uri: 'repo:///{owner}/{name}' };
    expect((await ask(wire, prompt('code'), { name: 'frame', value: '' })).values).toEqual([]);
    expect((await ask(wire, repo, { name: 'name', value: 'x' })).values).toEqual(['no one/x']);
    const knowsContext =
      'context' in
      clientWordsOf(revision).writeRequest({
        method: 'completion/complete',
        params: { context: {} },
        facts: { capabilities: {} },
      });
    if (!knowsContext) return;
    expect(
      (await ask(wire, prompt('code'), { name: 'frame', value: '' }, { arguments: { lang: 'python' } })).values,
    ).toEqual(['flask']);
    expect((await ask(wire, repo, { name: 'name', value: 'x' }, { arguments: { owner: 'ann' } })).values).toEqual([
      'ann/x',
    ]);
  });

  test('suggestions stay as the completer gives them where they are not ranked', async () => {
    const server = new McpServer(info, { rankCompletions: false });
    const complete = () => ['banana', 'apple', 'app', 'apple'];
    server.registerPrompt('fruit', { argsSchema: { name: completable(z.string(), complete) } }, say);
    expect(await ask(await Wire.open(server), prompt('fruit'), { name: 'name', value: 'app' })).toEqual({
      values: complete(),
      total: 4,
      hasMore: false,
    });
  });

  test('an argument without completer, or of a plain resource, has no suggestions', async () => {
    const wire = await Wire.open(completing());
    const none = { values: [], hasMore: false };
    expect(await ask(wire, prompt('code'), { name: 'free', value: '' })).toEqual(none);
    expect(await ask(wire, { type: 'ref/resource', uri: 'note:///a' }, { name: 'x', value: '' })).toEqual(none);
    expect(
      await ask(wire, { type: 'ref/resource', uri: 'repo:///{owner}/{name}' }, { name: 'owner', value: '' }),
    ).toEqual(none);
  });

  proves('L-COMPLETION-003, L-COMPLETION-008, L-COMPLETION-014, M-CMP-003').test(
    'bad references and arguments are -32602, failures -32603',
    async () => {
      const wire = await Wire.open(completing());
      const argument = { name: 'lang', value: '' };
      const bad: object[] = [
        { ref: prompt('nothing'), argument },
        { ref: { type: 'ref/resource', uri: 'repo:///ann/x' }, argument },
        { ref: { type: 'ref/tool', name: 'code' }, argument },
        { ref: { type: 'ref/prompt' }, argument },
        { ref: 'code', argument },
        { argument },
        { ref: prompt('code') },
        { ref: prompt('code'), argument: { name: 'lang' } },
        { ref: prompt('code'), argument: { name: 'lang', value: 7 } },
      ];
      for (const params of bad)
        expect((await wire.error('completion/complete', { ...params }, revision)).code, JSON.stringify(params)).toBe(
          -32602,
        );
      expect(
        await wire.error(
          'completion/complete',
          { ref: prompt('broken'), argument: { name: 'x', value: '' } },
          revision,
        ),
      ).toEqual({ code: -32603, message: 'Internal error' });
    },
  );

  proves('L-COMPLETION-007, M-CMP-003').test('without any completer the method is not there', async () => {
    const server = new McpServer(info);
    server.registerPrompt('p', {}, say);
    expect(
      (
        await (
          await Wire.open(server)
        ).error('completion/complete', { ref: prompt('p'), argument: { name: 'x', value: '' } }, revision)
      ).code,
    ).toBe(-32601);
  });

  proves('L-COMPLETION-015').test(
    'completion is limited unless the program says otherwise, and time restores it',
    async () => {
      const clock = new ManualClock();
      const server = new McpServer(info, { clock });
      server.registerPrompt('p', { argsSchema: { x: completable(z.string(), () => ['a']) } }, say);
      const wire = await Wire.open(server);
      const params = { ref: prompt('p'), argument: { name: 'x', value: '' } };
      let served = 0;
      while (served < 1000 && (await wire.request('completion/complete', params, revision)).error === undefined)
        served += 1;
      expect(served).toBe(500);
      expect((await wire.error('completion/complete', params, revision)).data.retryAfterMs).toBe(10);
      await clock.advance(10);
      await wire.result('completion/complete', params, revision);
    },
  );

  test('nothing is suggested for what the caller may not see', async () => {
    const server = new McpServer(info);
    server.registerPrompt(
      'own',
      {
        visible: ({ authInfo }) => authInfo?.clientId === 'ann',
        argsSchema: { x: completable(z.string(), () => ['secret']) },
      },
      say,
    );
    const wire = await Wire.open(server);
    const params = { ref: prompt('own'), argument: { name: 'x', value: '' } };
    expect((await wire.error('completion/complete', params, revision)).code).toBe(-32602);
    expect(
      (await wire.result('completion/complete', params, revision, { authInfo: auth('ann') })).completion.values,
    ).toEqual(['secret']);
  });
});

test('values are told once and as strings; context that is not text is refused', async () => {
  const server = new McpServer(info);
  server.registerPrompt('p', { argsSchema: { x: completable(z.string(), () => [1, '1', 2]) } }, say);
  const wire = await Wire.open(server);
  const params = { ref: prompt('p'), argument: { name: 'x', value: '' } };
  expect((await wire.result('completion/complete', params, stateless)).completion).toEqual({
    values: ['1', '2'],
    total: 2,
    hasMore: false,
  });
  expect(
    (await wire.error('completion/complete', { ...params, context: { arguments: { y: 7 } } }, stateless)).code,
  ).toBe(-32602);
});

test('completable marks the schema it is given, also under optional', () => {
  expect(isCompletable(completable(z.string(), () => []))).toBe(true);
  expect(isCompletable(completable(z.string(), () => []).optional())).toBe(true);
  expect(isCompletable(completable(z3.string(), () => []).optional())).toBe(true);
  expect(isCompletable(z.string())).toBe(false);
});

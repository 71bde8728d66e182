import { describe, expect } from 'vitest';
import { LOG_LEVELS, type LoggingMessage } from '../../src/protocol/logging.ts';
import { MANY, PNG, WAV } from '../fixtures/suite/suite-server.mjs';
import { until, type Bench } from './bench.ts';
import { failureOf, featureCase, parseLines, testCase } from './subject.ts';

/** Resources, prompts, completion and logging. */
export function offersCases(bench: Bench): void {
  resourceCases(bench);
  subscriptionCases(bench);
  promptCases(bench);
  completionCases(bench);
  loggingCases(bench);
}

function resourceCases(bench: Bench): void {
  const { subject } = bench;
  const notFound = subject.family === 'handshake' ? -32002 : -32602;

  describe('resources', () => {
    testCase(subject, 'L-RESOURCES-002, M-RES-002', 'lists resources, and what templates list', async () => {
      const { resources } = await bench.client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(['memo://static', 'memo://blob', 'memo://notes/1']);
      expect(resources[0]).toMatchObject({ name: 'static', mimeType: 'text/plain', size: 5 });
      expect('title' in resources[0]!).toBe(subject.cannot.titles === undefined);
    });

    testCase(subject, 'L-RESOURCES-004, M-RES-021', 'lists templates', async () => {
      const { resourceTemplates } = await bench.client.listResourceTemplates();
      expect(resourceTemplates).toMatchObject([
        { name: 'notes', uriTemplate: 'memo://notes/{id}', description: 'Notes by number.' },
      ]);
    });

    testCase(subject, 'L-RESOURCES-003, L-RESOURCES-019, M-RES-017', 'reads a text', async () => {
      const { contents } = await bench.client.readResource({ uri: 'memo://static' });
      expect(contents).toEqual([{ uri: 'memo://static', mimeType: 'text/plain', text: 'hello' }]);
    });

    testCase(subject, 'L-RESOURCES-017, M-RES-015', 'reads bytes as base64', async () => {
      expect((await bench.client.readResource({ uri: 'memo://blob' })).contents).toEqual([
        { uri: 'memo://blob', mimeType: 'image/png', blob: PNG },
      ]);
    });

    testCase(subject, 'L-RESOURCES-003', 'reads through a template', async () => {
      expect((await bench.client.readResource({ uri: 'memo://notes/42' })).contents).toEqual([
        { uri: 'memo://notes/42', text: 'note 42' },
      ]);
    });

    testCase(
      subject,
      'L-RESOURCES-009, M-RES-005, M-RES-009, M-ERR-009',
      'says which resource was not found, in the number of its family',
      async () => {
        for (const uri of ['memo://nowhere', 'memo://notes/gone']) {
          expect(await failureOf(bench.client.readResource({ uri }))).toMatchObject({
            kind: 'resource-not-found',
            code: notFound,
            data: { uri },
          });
        }
      },
    );

    testCase(subject, 'L-RESOURCES-015, M-RES-013', 'refuses what is no URI', async () => {
      expect((await failureOf(bench.client.readResource({ uri: 'not a uri' }))).code).toBe(-32602);
      expect((await failureOf(bench.client.request({ method: 'resources/read', params: {} }))).code).toBe(-32602);
    });
  });
}

function subscriptionCases(bench: Bench): void {
  const { subject } = bench;

  describe('subscriptions', () => {
    testCase(
      subject,
      'L-RESOURCES-006, L-RESOURCES-007, L-LIFECYCLE-019, M-SUB-001, M-SUB-003, M-SUB-008, M-SUB-009, M-SUB-018, M-RES-018',
      'tells of updates of subscribed resources and of no others',
      async () => {
        const updated: unknown[] = [];
        const { client } = await bench.connect('everything', {
          prepare: (made) =>
            made.setNotificationHandler(
              'notifications/resources/updated',
              ({ params }) => void updated.push(params?.['uri']),
            ),
        });
        await bench.call('touch', { uri: 'memo://static' }, client);
        await client.subscribeResource({ uri: 'memo://static' });
        await bench.call('touch', { uri: 'memo://blob' }, client);
        await bench.call('touch', { uri: 'memo://static' }, client);
        await until(() => updated.length > 0, 'an update');
        expect(updated).toEqual(['memo://static']);
      },
    );

    testCase(
      subject,
      'L-RESOURCES-006, M-SUB-011, M-SUB-012',
      'is silent after the subscription has ended',
      async () => {
        const updated: unknown[] = [];
        const { client } = await bench.connect('everything', {
          prepare: (made) =>
            made.setNotificationHandler(
              'notifications/resources/updated',
              ({ params }) => void updated.push(params?.['uri']),
            ),
        });
        await client.subscribeResource({ uri: 'memo://static' });
        await client.subscribeResource({ uri: 'memo://blob' });
        await client.unsubscribeResource({ uri: 'memo://static' });
        await bench.call('touch', { uri: 'memo://static' }, client);
        await bench.call('touch', { uri: 'memo://blob' }, client);
        await until(() => updated.length > 0, 'an update');
        expect(updated).toEqual(['memo://blob']);
      },
    );

    testCase(subject, 'L-LIFECYCLE-019', 'refuses a subscription where none was declared', async () => {
      const { client } = await bench.connect('changing');
      const error = await failureOf(client.subscribeResource({ uri: 'memo://first' }));
      if (subject.family === 'handshake') expect(error.code).toBe(-32601);
      else expect(error.message).toContain('granted no subscription to memo://first');
    });

    featureCase(
      subject,
      'listen streams',
      {
        ids: 'M-SUB-003, M-SUB-006, M-SUB-020',
        title: 'opens a stream of notifications and says what of it is honoured',
      },
      {
        has: async () => {
          const { client } = await bench.connect('changing');
          const heard: string[] = [];
          const handle = await client.listen(
            { toolsListChanged: true, resourceSubscriptions: ['memo://first'] },
            { onnotification: ({ method }) => void heard.push(method) },
          );
          expect(handle.honored).toEqual({ toolsListChanged: true });
          await bench.call('change', { what: 'prompt' }, client);
          await bench.call('change', { what: 'tool' }, client);
          await until(() => heard.length > 0, 'a notification');
          expect(heard).toEqual(['notifications/tools/list_changed']);
          handle.close();
          expect(await handle.closed).toBe('local');
        },
        lacks: async () => expect((await failureOf(bench.client.listen({ toolsListChanged: true }))).code).toBe(-32601),
      },
    );

    testCase(
      subject,
      'L-TOOLS-002, L-PROMPTS-004, L-RESOURCES-005, M-SUB-002',
      'fetches a list again after it has changed',
      async () => {
        const lists: Record<string, string[][]> = { tools: [], prompts: [], resources: [] };
        const collect = (kind: string) => ({
          debounceMs: 1,
          onChanged: (_error: Error | null, items: { name: string }[] | null) =>
            void lists[kind]!.push((items ?? []).map(({ name }) => name)),
        });
        const { client, lines } = await bench.connect('changing', {
          listChanged: { tools: collect('tools'), prompts: collect('prompts'), resources: collect('resources') },
        });
        if (subject.family === 'per-request')
          await until(() => lines.some((line) => line.includes('subscriptions/acknowledged')), 'the acknowledgement');
        for (const what of ['tool', 'prompt', 'resource']) await bench.call('change', { what }, client);
        await until(() => Object.values(lists).every((seen) => seen.length > 0), 'three changed lists');
        expect(lists).toEqual({
          tools: [['change', 'added']],
          prompts: [['first', 'added']],
          resources: [['first', 'added']],
        });
        await bench.call('change', { what: 'remove' }, client);
        await until(() => lists['tools']!.length > 1, 'the list after the removal');
        expect(lists['tools']!.at(-1)).toEqual(['change']);
      },
    );
  });
}

function promptCases(bench: Bench): void {
  const { subject } = bench;

  describe('prompts', () => {
    testCase(subject, 'L-PROMPTS-002', 'lists prompts with their arguments', async () => {
      const { prompts } = await bench.client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(['plain', 'travel']);
      expect(prompts[1]?.arguments?.slice(0, 2)).toEqual([
        { name: 'country', description: 'Where to.', required: true },
        { name: 'city', required: false },
      ]);
      expect('title' in prompts[0]!).toBe(subject.cannot.titles === undefined);
    });

    testCase(
      subject,
      'L-PROMPTS-003, L-SCHEMA-020',
      'gets a prompt with content that its revision has words for',
      async () => {
        const { messages } = await bench.client.getPrompt({ name: 'plain' });
        expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
        const [, sound, link] = messages.map(({ content }) => content);
        if (subject.cannot.audio === undefined)
          expect(sound).toEqual({ type: 'audio', data: WAV, mimeType: 'audio/wav' });
        else expect(sound?.type).toBe('text');
        expect(link?.type).toBe(subject.cannot['resource links'] === undefined ? 'resource_link' : 'text');
      },
    );

    testCase(subject, 'L-PROMPTS-003, L-SCHEMA-028', 'fills in arguments, which are strings', async () => {
      const { messages } = await bench.client.getPrompt({
        name: 'travel',
        arguments: { country: 'italy', city: 'Rome' },
      });
      expect(messages[0]?.content).toEqual({ type: 'text', text: 'To Rome in italy' });
      const numbers = { country: 7 } as unknown as Record<string, string>;
      expect(await failureOf(bench.client.getPrompt({ name: 'travel', arguments: numbers }))).toBeInstanceOf(TypeError);
      expect(
        (
          await failureOf(
            bench.client.request({ method: 'prompts/get', params: { name: 'travel', arguments: numbers } }),
          )
        ).code,
      ).toBe(-32602);
    });

    testCase(
      subject,
      'L-PROMPTS-009, L-PROMPTS-010, L-PROMPTS-012',
      'refuses an unknown prompt and missing arguments',
      async () => {
        expect((await failureOf(bench.client.getPrompt({ name: 'nope' }))).code).toBe(-32602);
        expect((await failureOf(bench.client.getPrompt({ name: 'travel' }))).code).toBe(-32602);
      },
    );
  });
}

function completionCases(bench: Bench): void {
  const { subject } = bench;
  const prompt = { type: 'ref/prompt', name: 'travel' } as const;
  const complete = async (name: string, value: string, chosen?: Record<string, string>) =>
    (
      await bench.client.complete({
        ref: prompt,
        argument: { name, value },
        ...(chosen && { context: { arguments: chosen } }),
      })
    ).completion;

  describe('completion', () => {
    testCase(subject, 'L-COMPLETION-003, L-SCHEMA-003', 'completes an argument of a prompt', async () => {
      expect(await complete('country', 'f')).toEqual({ values: ['france'], total: 1, hasMore: false });
    });

    featureCase(
      subject,
      'completion context',
      {
        ids: 'L-COMPLETION-005, L-SCHEMA-028',
        idsWithout: 'L-COMPLETION-006, L-SCHEMA-015',
        title: 'takes into account what has been chosen',
      },
      {
        has: async () => expect((await complete('city', 'P', { country: 'italy' })).values).toEqual(['Pisa']),
        lacks: async () => {
          expect((await complete('city', 'P', { country: 'italy' })).values).toEqual(['Paris', 'Pau', 'Pisa']);
          const sent = parseLines(bench.shared.lines).filter(
            ({ message }) => message['method'] === 'completion/complete',
          );
          expect(sent.some(({ message }) => 'context' in message['params'])).toBe(false);
        },
      },
    );

    testCase(subject, 'L-COMPLETION-003, L-SCHEMA-024', 'completes a variable of a template', async () => {
      const { completion } = await bench.client.complete({
        ref: { type: 'ref/resource', uri: 'memo://notes/{id}' },
        argument: { name: 'id', value: '1' },
      });
      expect(completion.values).toEqual(['1', '12']);
    });

    testCase(
      subject,
      'L-COMPLETION-004, L-SCHEMA-003',
      'gives a hundred values at most and says how many there are',
      async () => {
        const { values, total, hasMore } = await complete('many', '');
        expect(values).toEqual(MANY.slice(0, 100));
        expect({ total, hasMore }).toEqual({ total: 150, hasMore: true });
      },
    );

    testCase(
      subject,
      'L-COMPLETION-008, L-COMPLETION-013, L-COMPLETION-014',
      'has nothing for an argument without suggestions, and refuses what does not exist',
      async () => {
        expect(await complete('free', 'x')).toEqual({ values: [], hasMore: false });
        expect(
          (
            await failureOf(
              bench.client.complete({ ref: { type: 'ref/prompt', name: 'nope' }, argument: { name: 'a', value: '' } }),
            )
          ).code,
        ).toBe(-32602);
        expect(
          (await failureOf(bench.client.request({ method: 'completion/complete', params: { ref: prompt } }))).code,
        ).toBe(-32602);
      },
    );
  });
}

function loggingCases(bench: Bench): void {
  const { subject } = bench;
  const open = async () => {
    const logs: LoggingMessage[] = [];
    const { client } = await bench.connect('everything', { onlog: (message) => logs.push(message) });
    const log = async (level: string) => bench.call('log', { level, data: { at: level } }, client);
    return { client, logs, log };
  };

  describe('logging', () => {
    featureCase(
      subject,
      'logs without a level',
      {
        ids: 'L-LOGGING-005, L-LOGGING-006',
        idsWithout: 'M-LOG-002',
        title: 'sends messages before any level was set',
      },
      {
        has: async () => {
          const { logs, log } = await open();
          await log('info');
          await until(() => logs.length > 0, 'a log message');
          expect(logs).toEqual([{ level: 'info', logger: 'suite', data: { at: 'info' } }]);
        },
        lacks: async () => {
          const { logs, log } = await open();
          await log('emergency');
          expect(logs).toEqual([]);
        },
      },
    );

    testCase(
      subject,
      'L-LOGGING-002, L-LOGGING-003, L-LOGGING-004, M-LOG-003, M-LOG-009',
      'sends the messages at or above the level, in the order of severity',
      async () => {
        const { client, logs, log } = await open();
        expect(await client.setLoggingLevel('error')).toEqual({});
        for (const level of LOG_LEVELS) await log(level);
        await until(() => logs.length >= 4, 'four log messages');
        expect(logs.map(({ level }) => level)).toEqual(['error', 'critical', 'alert', 'emergency']);
      },
    );

    testCase(subject, 'L-LOGGING-003', 'changes the level', async () => {
      const { client, logs, log } = await open();
      await client.setLoggingLevel('emergency');
      await log('debug');
      await client.setLoggingLevel('debug');
      await log('debug');
      await until(() => logs.length > 0, 'a log message');
      expect(logs.length).toBe(1);
    });

    featureCase(
      subject,
      'log level as a request',
      { ids: 'L-LOGGING-007', idsWithout: 'M-ERR-013', title: 'refuses a level that does not exist' },
      {
        has: async () => {
          expect(
            (await failureOf(bench.client.request({ method: 'logging/setLevel', params: { level: 'loud' } }))).code,
          ).toBe(-32602);
          expect(await failureOf(bench.client.setLoggingLevel('loud' as 'info'))).toBeInstanceOf(TypeError);
        },
        lacks: async () => {
          expect(
            (await failureOf(bench.client.request({ method: 'logging/setLevel', params: { level: 'info' } }))).code,
          ).toBe(-32601);
          expect(await failureOf(bench.client.setLoggingLevel('loud' as 'info'))).toBeInstanceOf(TypeError);
        },
      },
    );
  });
}

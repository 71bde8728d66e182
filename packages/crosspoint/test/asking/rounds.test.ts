import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { getSupportedElicitationModes } from '../../src/client/index.ts';
import { McpServer, StepError, createMcpHandler, inputRequired, isSuspension } from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import {
  Value,
  Wire,
  accepting,
  ask,
  bothFamilies,
  call,
  everyAsking,
  exchange,
  linked,
  newestHandshake,
  requireAsks,
  said,
  serverOf,
  stateless,
  textIn,
  wait,
  type Handler,
} from './linked.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

describe.each(everyAsking)('a handler that asks a client of %s', (revision) => {
  it('asks three questions in turn and takes each step once', async () => {
    const done: string[] = [];
    const result = await call(revision, async (ctx) => {
      const quote = await ctx.step('quote', async () => {
        done.push('quote');
        await wait(2);
        return { amount: 7, at: new Date(0) as unknown };
      });
      // A step gives the JSON form of its value, live as well as from memory.
      expect(typeof quote.at).toBe('string');
      const one = await ask(ctx, `pay ${quote.amount}`);
      const two = await ask(ctx, `two ${one}`);
      await ctx.step('charge', () => void done.push('charge'));
      return said(`${one} ${two} ${await ask(ctx, 'three')}`);
    });
    expect(result.text).toBe('<pay 7> <two <pay 7>> <three>');
    expect(result.asked).toEqual(['pay 7', 'two <pay 7>', 'three']);
    expect(done).toEqual(['quote', 'charge']);
  });

  it('asks side by side while a slow step runs', async () => {
    let runs = 0;
    const result = await call(revision, async (ctx) => {
      const slow = ctx.step('slow', async () => {
        runs += 1;
        await wait(20);
        return 'S';
      });
      return said((await Promise.all([ask(ctx, 'p'), Promise.resolve().then(() => ask(ctx, 'q')), slow])).join(''));
    });
    expect(result).toMatchObject({ text: '<p><q>S', asked: ['p', 'q'] });
    expect(runs).toBe(1);
  });

  it('keeps answers with their questions when steps of random length come before them', async () => {
    const result = await call(revision, async (ctx) => {
      const each = [0, 1, 2, 3].map(async (i) => {
        const item = await ctx.step(`s:${i}`, async () => {
          await wait(Math.random() * 8);
          return i;
        });
        return ask(ctx, `item ${item}`);
      });
      return said((await Promise.all(each)).join(''));
    });
    expect(result.text).toBe('<item 0><item 1><item 2><item 3>');
  });

  it('sees the same error of a failed step, and the step is not run again', async () => {
    let runs = 0;
    const result = await call(revision, async (ctx) => {
      const why = await ctx
        .step('bad', () => {
          runs += 1;
          throw new RangeError('no funds');
        })
        .catch((error: unknown) =>
          error instanceof StepError ? `${error.name}/${error.causeName}/${error.message}/${error.step}` : 'other',
        );
      return said(await ask(ctx, why));
    });
    expect(result.text).toBe('<StepError/RangeError/no funds/bad>');
    expect(runs).toBe(1);
  });

  it('is told what JSON cannot hold, and has the step not run again for it', async () => {
    let runs = 0;
    const result = await call(revision, async (ctx) => {
      const why = await ctx.step('big', () => ((runs += 1), 10n)).catch((error: unknown) => (error as Error).message);
      return said(await ask(ctx, String(why)));
    });
    expect(result.text).toContain('The value of the step "big" cannot be kept as JSON');
    expect(runs).toBe(1);
  });

  it('asks the same question several times', async () => {
    let answers = 0;
    const server = serverOf(async (ctx) =>
      said([await ask(ctx, 'again'), await ask(ctx, 'again'), await ask(ctx, 'again')].join()),
    );
    const { client } = await linked(server, revision, {
      answer: () => ({ action: 'accept', content: { value: String(answers++) } }),
    });
    expect((await client.callTool({ name: 't' })).content).toEqual([{ type: 'text', text: '0,1,2' }]);
  });

  it('asks what it asked, though it goes on to change it', async () => {
    const result = await call(revision, async (ctx) => {
      const properties: Record<string, object> = { value: { type: 'string' } };
      const asked = ctx.elicit({ message: 'm', requestedSchema: { type: 'object', properties } });
      properties['other'] = { type: 'string' };
      const answer = await asked;
      return said(JSON.stringify(answer.content));
    });
    expect(result).toMatchObject({ text: '{"value":"<m>"}', asked: ['m'] });
  });

  it('may settle several, and race one against a timer', async () => {
    const result = await call(revision, async (ctx) => {
      const settled = await Promise.allSettled([ask(ctx, 'p'), ask(ctx, 'q')]);
      const values = settled.map((one) => (one.status === 'fulfilled' ? one.value : 'rejected'));
      return said(`${values.join('')}${await Promise.race([ask(ctx, 'r'), wait(2000).then(() => 'late')])}`);
    });
    expect(result.text).toBe('<p><q><r>');
  });

  it('gets typed values for accepted, declined, cancelled and invalid answers', async () => {
    const answers: Record<string, object> = {
      a: { action: 'accept', content: { value: 'v' } },
      b: { action: 'decline' },
      c: { action: 'cancel' },
      d: { action: 'accept', content: { value: 'long enough' } },
    };
    const server = serverOf(async (ctx) => {
      const [a, b, c] = [
        await ctx.elicit({ message: 'a', schema: Value }),
        await ctx.elicit({ message: 'b', schema: Value }),
        await ctx.elicit({ message: 'c', schema: Value }),
      ];
      const d = await ctx.elicit({ message: 'd', schema: z.object({ value: z.string().regex(/^short$/) }) });
      return said(
        [
          a.action === 'accept' && a.content.value,
          b.action,
          c.action,
          d.action === 'invalid' && d.issues.length,
        ].join(),
      );
    });
    const { client } = await linked(server, revision, { answer: (message) => answers[message] as never });
    expect((await client.callTool({ name: 't' })).content).toEqual([{ type: 'text', text: 'v,decline,cancel,1' }]);
  });

  it('is complete when it ends without waiting for what it asked', async () => {
    const result = await call(revision, async (ctx) => {
      void ask(ctx, 'nobody waits').catch(() => {});
      return said('done');
    });
    expect(result.text).toBe('done');
  });

  it('may not use a step name twice, nor ask inside a step, at once or later', async () => {
    const twice = await call(revision, async (ctx) => {
      await ctx.step('same', () => 1);
      await ctx.step('same', () => 2);
    });
    expect(twice).toMatchObject({ isError: true, text: expect.stringContaining('"same" was used before') as string });
    const inside = await call(revision, async (ctx) => ctx.step('out', () => ask(ctx, 'm')));
    expect(inside).toMatchObject({
      isError: true,
      asked: [],
      text: expect.stringContaining('Asking inside the step "out"') as string,
    });
    const later = await call(revision, async (ctx) =>
      ctx.step('out', async () => {
        await wait(5);
        return ask(ctx, 'm');
      }),
    );
    expect(later).toMatchObject({
      isError: true,
      asked: [],
      text: expect.stringContaining('Asking inside the step "out"') as string,
    });
    const nested = await call(revision, async (ctx) =>
      ctx.step('out', async () => (await wait(1), ctx.step('in', () => 1))),
    );
    expect(nested).toMatchObject({ isError: true, text: expect.stringContaining('inside the step "out"') as string });
  });

  it('keeps questions and steps of the same name apart, and questions of awkward names', async () => {
    const result = await call(revision, async (ctx) => {
      const step = await ctx.step('x', () => 'step');
      const named = await ask(ctx, 'named', 's:x');
      const odd = await Promise.all([
        ask(ctx, 'one', 'k'),
        ask(ctx, 'two', 'k'),
        ask(ctx, 'three', 'k.1'),
        ask(ctx, 'four', '__proto__'),
        ask(ctx, 'five', 'constructor'),
      ]);
      return said([step, named, ...odd, await ctx.step('__proto__', () => 6)].join());
    });
    expect(result.text).toBe('step,<named>,<one>,<two>,<three>,<four>,<five>,6');
  });
});

proves('M-MRTR-001').describe('rounds of a stateless client', () => {
  proves('M-MRTR-003, M-MRTR-004').it(
    'hold all questions asked side by side, each under its own key, in the words of the protocol',
    async () => {
      const outcome = requireAsks(
        await exchange(
          serverOf(async (ctx) => {
            await Promise.all([
              ask(ctx, 'a'),
              ask(ctx, 'b'),
              ask(ctx, 'b'),
              ctx.listRoots(),
              ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 }),
            ]);
          }),
        ),
      );
      expect(Object.values(outcome.asks).map(({ method, params }) => [method, params['message']])).toEqual([
        ['elicitation/create', 'a'],
        ['elicitation/create', 'b'],
        ['elicitation/create', 'b'],
        ['roots/list', undefined],
        ['sampling/createMessage', undefined],
      ]);
      expect(new Set(Object.keys(outcome.asks)).size).toBe(5);
    },
  );

  it('ask again for what is missing, ignore what nobody asked, and take each answer once', async () => {
    const server = serverOf(async (ctx) => said((await Promise.all([ask(ctx, 'a', 'a'), ask(ctx, 'b', 'b')])).join()));
    const first = requireAsks(await exchange(server));
    const second = requireAsks(
      await exchange(server, {
        state: first.state,
        answers: { b: { action: 'accept', content: { value: 'B' } }, zzz: { action: 'accept' }, a: 'no object' },
      }),
    );
    expect(Object.keys(second.asks)).toEqual(['a']);
    // An answer given before cannot be replaced afterwards.
    const done = await exchange(server, {
      state: second.state,
      answers: {
        a: { action: 'accept', content: { value: 'A' } },
        b: { action: 'accept', content: { value: 'changed' } },
      },
    });
    expect(textIn(done)).toBe('A,B');
  });

  proves('M-MRTR-031').it('carry earlier answers in the state: each retry brings only its own', async () => {
    const server = serverOf(async (ctx) =>
      said([await ask(ctx, 'one'), await ask(ctx, 'two'), await ask(ctx, 'three')].join()),
    );
    let outcome = await exchange(server);
    for (let round = 0; round < 3; round += 1)
      outcome = await exchange(server, { state: requireAsks(outcome).state, answers: accepting(outcome) });
    expect(textIn(outcome)).toBe('<one>,<two>,<three>');
  });

  proves('M-MRTR-026').it('refuse answers that are no object, and a state that is no text', async () => {
    const server = serverOf(async (ctx) => said(await ask(ctx, 'a', 'a')));
    const { state } = requireAsks(await exchange(server));
    for (const answers of ['x', 7, [], null])
      await expect(exchange(server, { state, answers: answers as never })).rejects.toMatchObject({ code: -32602 });
    await expect(exchange(server, { state: 7 as never, answers: {} })).rejects.toMatchObject({ code: -32602 });
  });

  it('without a state, answers answer nothing', async () => {
    const server = serverOf(async (ctx) => said(await ask(ctx, 'a', 'a')));
    const outcome = await exchange(server, { answers: { a: { action: 'accept', content: { value: 'forged' } } } });
    expect(Object.keys(requireAsks(outcome).asks)).toEqual(['a']);
  });

  proves('M-MRTR-014').it('are not waited for: nothing is kept of a call whose client does not come back', async () => {
    let held = 0;
    const server = serverOf(async (ctx) => {
      held += 1;
      try {
        return said(await ask(ctx, 'a'));
      } finally {
        held -= 1;
      }
    });
    for (let i = 0; i < 20; i += 1) requireAsks(await exchange(server));
    expect(held).toBe(0);
  });

  it('are limited, whether the handler asks without end or the client never answers', async () => {
    const server = serverOf(
      async (ctx) => {
        for (let i = 0; ; i += 1) await ask(ctx, `q${i}`);
      },
      { asking: { maxRounds: 3 } },
    );
    let outcome = await exchange(server);
    outcome = await exchange(server, { state: requireAsks(outcome).state, answers: accepting(outcome) });
    outcome = await exchange(server, { state: requireAsks(outcome).state, answers: {} });
    const last = requireAsks(outcome);
    await expect(exchange(server, { state: last.state, answers: accepting(last) })).rejects.toThrow(
      'More than 3 rounds',
    );
  });

  proves('M-MRTR-030').it('end the call: nothing follows its last message, over memory and over HTTP', async () => {
    const server = serverOf(async (ctx) => {
      ctx.progress(1);
      try {
        await ask(ctx, 'a');
      } finally {
        ctx.progress(2);
        setTimeout(() => ctx.progress(3), 5);
      }
    });
    const capabilities = { elicitation: {} };
    const wire = await Wire.open(server, capabilities);
    await wire.request('tools/call', { name: 't' }, stateless, { progressToken: 'p' });
    await wait(20);
    expect(wire.frames.at(-1)?.result).toMatchObject({ resultType: 'input_required' });
    const handler = createMcpHandler(server);
    const params = clientWordsOf(stateless).writeRequest({
      method: 'tools/call',
      params: { name: 't' },
      facts: { capabilities },
      progressToken: 'p',
    });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      host: 'localhost',
      'mcp-protocol-version': stateless.id,
      'mcp-method': 'tools/call',
      'mcp-name': 't',
    };
    const response = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }),
    );
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = (await response.text()).split('\n\n').filter((event) => event.includes('data: '));
    expect(JSON.parse(events.at(-1)?.slice('data: '.length) ?? '')).toMatchObject({
      id: 1,
      result: { resultType: 'input_required' },
    });
    await handler.close();
  });

  it('say nothing again that was said before', async () => {
    const server = serverOf(async (ctx) => {
      ctx.progress(1);
      await ask(ctx, 'a');
      ctx.progress(2);
      await ask(ctx, 'b');
      ctx.progress(3);
      return said('x');
    });
    const { client } = await linked(server, stateless.id);
    const seen: number[] = [];
    await client.callTool({ name: 't' }, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
  });

  it('wait for steps that run before they are sealed, in both styles', async () => {
    let runs = 0;
    const slow = (): Promise<number> => wait(30).then(() => (runs += 1));
    const server = serverOf(async (ctx) => {
      const step = ctx.step('slow', slow);
      const answer = await ask(ctx, 'a');
      return said(`${answer}${await step}`);
    });
    const first = requireAsks(await exchange(server));
    expect(runs).toBe(1);
    expect(textIn(await exchange(server, { state: first.state, answers: accepting(first) }))).toBe('<a>1');
    expect(runs).toBe(1);
  });
});

describe('a suspended handler', () => {
  it('that swallows the suspension starts no step and asks no further question', async () => {
    let wrong = 0;
    const handler: Handler = async (ctx) => {
      let who = 'nobody';
      try {
        who = await ask(ctx, 'who');
      } catch {
        // Swallowed, as authors do.
      }
      if (who === 'nobody') await ctx.step('fallback', () => void (wrong += 1)).catch(() => {});
      if (who === 'nobody') await ask(ctx, 'wrong question').catch(() => {});
      return said(`hello ${who}`);
    };
    const result = await call(stateless.id, handler);
    expect(result).toMatchObject({ text: 'hello <who>', asked: ['who'] });
    expect(wrong).toBe(0);
  });

  it('starts no step in its finally block, and runs what is no step there', async () => {
    const done: string[] = [];
    const result = await call(stateless.id, async (ctx) => {
      try {
        return said(await ask(ctx, 'who'));
      } finally {
        done.push('finally');
        await ctx
          .step('clean', () => void done.push('clean'))
          .catch((error: unknown) => done.push(isSuspension(error) ? 'suspended' : 'other'));
      }
    });
    expect(result.text).toBe('<who>');
    expect(done).toEqual(['finally', 'suspended', 'finally', 'clean']);
  });

  it('that hangs in its catch is answered all the same', async () => {
    const result = await call(stateless.id, async (ctx) => {
      try {
        return said(await ask(ctx, 'm'));
      } catch {
        return new Promise(() => {});
      }
    });
    expect(result.text).toBe('<m>');
  });

  it('that returns questions of its own after a swallowed suspension is still suspended by the first', async () => {
    const result = await call(stateless.id, async (ctx) => {
      const who = await ask(ctx, 'who').catch(() => undefined);
      return who === undefined ? inputRequired({ inputRequests: { other: inputRequired.listRoots() } }) : said(who);
    });
    expect(result).toMatchObject({ text: '<who>', asked: ['who'] });
  });
});

describe('a handler that takes another way when it runs again', () => {
  const options = { asking: { replayGraceMs: 50 } };

  const ways: [string, (runs: () => number) => Handler, RegExp][] = [
    [
      'asks in other words',
      (runs) => async (ctx) => said(await ask(ctx, `clock ${runs()}`)),
      /asked something new and never came to the question/,
    ],
    [
      'asks in other words under the same key',
      (runs) => async (ctx) => said(await ask(ctx, `clock ${runs()}`, 'confirm')),
      /the question "confirm" is not the one/,
    ],
    [
      'hides that in a catch',
      (runs) => async (ctx) =>
        said(
          await ask(ctx, `clock ${runs()}`, 'confirm').catch((error: unknown) =>
            isSuspension(error) ? Promise.reject(error) : 'hidden',
          ),
        ),
      /the question "confirm" is not the one/,
    ],
    [
      'skips a question',
      (runs) => async (ctx) => said(runs() === 1 ? await ask(ctx, 'sure?') : 'skipped'),
      /it ended without the question/,
    ],
    [
      'skips a step',
      (runs) => async (ctx) => (runs() === 1 && (await ctx.step('a', () => 1)), said(await ask(ctx, 'sure?'))),
      /it ended without the step "a"/,
    ],
  ];

  it.each(ways)('and %s is stopped with an error that names what is missing', async (_what, make, expected) => {
    let runs = 0;
    const handler = make(() => runs);
    await expect(call(stateless.id, (ctx) => ((runs += 1), handler(ctx)), options)).rejects.toThrow(expected);
  });

  it('does not take a new step before', async () => {
    let runs = 0;
    let charged = 0;
    const handler: Handler = async (ctx) => {
      runs += 1;
      if (runs === 1) {
        await ctx.step('a', () => 1);
        await ask(ctx, 'm');
      } else await ctx.step('other', () => void (charged += 1));
      return said('x');
    };
    await expect(call(stateless.id, handler, options)).rejects.toThrow(
      /the step "other" came before the step "a", the question/,
    );
    expect(charged).toBe(0);
  });

  it('does not keep the processor busy while it is waited for', async () => {
    let runs = 0;
    const before = process.cpuUsage();
    await expect(
      call(stateless.id, async (ctx) => said(await ask(ctx, `clock ${(runs += 1)}`)), {
        asking: { replayGraceMs: 1500 },
      }),
    ).rejects.toThrow(/never came/);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});

/** The result of a tool that a client with a handshake cannot answer: its model can go on without. */
const TOLD_TO_MODEL = {
  isError: true,
  content: [{ text: expect.stringMatching(/^The client has not declared .* Go on without its answer/) as string }],
};

describe('where nobody can be asked', () => {
  it('the call of a client without a handshake fails at once and says what is missing', async () => {
    const { client } = await linked(
      serverOf(async (ctx) => said(await ask(ctx, 'm'))),
      stateless.id,
      { capabilities: {} },
    );
    const error = (await client.callTool({ name: 't' }).catch((thrown: unknown) => thrown)) as {
      message: string;
      data: unknown;
    };
    expect(error.message).toContain('The client has not declared elicitation');
    expect(error.data).toEqual({ requiredCapabilities: { elicitation: { form: {} } } });
  });

  proves('M-MRTR-006, M-ELI-003, L-ELICITATION-003, M-SAMP-003, L-SAMPLING-027, L-SAMPLING-002').it(
    'each kind and mode of question needs its own capability',
    async () => {
      const asks: [Handler, object, object][] = [
        [
          (ctx) => ctx.elicit({ mode: 'url', message: 'm', url: 'https://a.example/' }),
          { elicitation: {} },
          { elicitation: { url: {} } },
        ],
        [
          (ctx) => ctx.elicit({ message: 'm', schema: Value }),
          { elicitation: { url: {} } },
          { elicitation: { form: {} } },
        ],
        [(ctx) => ctx.sample({ messages: [], maxTokens: 1 }), {}, { sampling: {} }],
        [(ctx) => ctx.sample({ messages: [], maxTokens: 1, tools: [] }), { sampling: {} }, { sampling: { tools: {} } }],
        [
          (ctx) => ctx.sample({ messages: [], maxTokens: 1, toolChoice: { mode: 'auto' } }),
          { sampling: {} },
          { sampling: { tools: {} } },
        ],
        [(ctx) => ctx.listRoots(), { elicitation: {} }, { roots: {} }],
      ];
      for (const revision of bothFamilies) {
        for (const [handler, capabilities, requiredCapabilities] of asks) {
          const { client, asked } = await linked(serverOf(handler), revision, { capabilities });
          if (revision === stateless.id)
            await expect(client.callTool({ name: 't' })).rejects.toMatchObject({ data: { requiredCapabilities } });
          else expect(await client.callTool({ name: 't' })).toMatchObject(TOLD_TO_MODEL);
          expect(asked).toEqual([]);
        }
      }
    },
  );

  proves('M-ELI-002, L-ELICITATION-002').it(
    'an empty declaration of elicitation means forms, and nothing else',
    async () => {
      for (const revision of bothFamilies) {
        const { client } = await linked(
          serverOf(async (ctx) => said(await ask(ctx, 'm'))),
          revision,
          { capabilities: { elicitation: {} } },
        );
        expect((await client.callTool({ name: 't' })).content).toEqual([{ type: 'text', text: '<m>' }]);
        const page = await linked(
          serverOf((ctx) => ctx.elicit({ mode: 'url', message: 'm', url: 'https://a.example/' })),
          revision,
          { capabilities: { elicitation: {} } },
        );
        if (revision === stateless.id)
          await expect(page.client.callTool({ name: 't' })).rejects.toMatchObject({
            data: { requiredCapabilities: { elicitation: { url: {} } } },
          });
        else expect(await page.client.callTool({ name: 't' })).toMatchObject(TOLD_TO_MODEL);
      }
      expect(getSupportedElicitationModes({})).toEqual(getSupportedElicitationModes({ form: {} }));
      expect(getSupportedElicitationModes({})).toEqual({ supportsFormMode: true, supportsUrlMode: false });
      expect(getSupportedElicitationModes({ url: {} })).toEqual({ supportsFormMode: false, supportsUrlMode: true });
    },
  );

  it('context for sampling is asked for only where it was declared', async () => {
    const server = serverOf((ctx) => ctx.sample({ messages: [], maxTokens: 1, includeContext: 'allServers' }));
    const { client } = await linked(server, stateless.id, { capabilities: { sampling: {} } });
    await expect(client.callTool({ name: 't' })).rejects.toMatchObject({
      data: { requiredCapabilities: { sampling: { context: {} } } },
    });
  });

  it('prompts and resources ask too; lists cannot', async () => {
    const server = new McpServer({ name: 's', version: '1' }, { capabilities: { tools: {} } });
    server.registerPrompt('p', {}, async (ctx) => ({
      messages: [{ role: 'user', content: { type: 'text', text: await ask(ctx, 'who') } }],
    }));
    server.registerResource('r', 'note:///r', {}, async (_uri, ctx) => ({
      contents: [{ uri: 'note:///r', text: await ask(ctx, 'which') }],
    }));
    for (const revision of everyAsking) {
      const { client } = await linked(server, revision);
      expect((await client.getPrompt({ name: 'p' })).messages[0]?.content).toMatchObject({ text: '<who>' });
      expect((await client.readResource({ uri: 'note:///r' })).contents[0]).toMatchObject({ text: '<which>' });
      await client.close();
    }
    server.server.setRequestHandler('tools/list', async (_request, ctx) => ({
      tools: [],
      nextCursor: await ask(ctx, 'x'),
    }));
    const { client } = await linked(server, stateless.id);
    await expect(client.request({ method: 'tools/list' })).rejects.toThrow(/cannot ask/);
  });
});

it(`a live client that leaves ends what waits for it (${newestHandshake.id})`, async () => {
  const seen: string[] = [];
  const server = serverOf(async (ctx) => {
    try {
      await ask(ctx, 'never');
    } catch (error) {
      seen.push((error as Error).name);
    }
  });
  const { client } = await linked(server, newestHandshake.id, { answer: () => new Promise(() => {}) as never });
  const calling = client.callTool({ name: 't' }).catch(() => {});
  await wait(10);
  await client.close();
  await calling;
  await wait(5);
  expect(seen).toEqual(['TransportError']);
});

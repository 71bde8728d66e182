import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  McpServer,
  UrlElicitationRequiredError,
  acceptedContent,
  inputRequired,
  inputResponse,
  text,
} from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import {
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

const Value = z.object({ value: z.string() });
const form = (message: string): ReturnType<typeof inputRequired.elicit> =>
  inputRequired.elicit({ message, requestedSchema: Value });

describe.each(everyAsking)('the explicit style with a client of %s', (revision) => {
  it('asks, is run again with the answers of that round and its state, and ends', async () => {
    const handler: Handler = (ctx) => {
      const state = (ctx.requestState === undefined ? {} : JSON.parse(ctx.requestState)) as { one?: string };
      const one = acceptedContent(ctx.inputResponses, 'one', Value)?.value;
      if (one !== undefined)
        return inputRequired({ inputRequests: { two: form(`two ${one}`) }, requestState: JSON.stringify({ one }) });
      const two = acceptedContent(ctx.inputResponses, 'two', Value)?.value;
      if (two !== undefined) return said(`${state.one} ${two} ${inputResponse(ctx.inputResponses, 'one').kind}`);
      return inputRequired({ inputRequests: { one: form('one') } });
    };
    expect(await call(revision, handler)).toMatchObject({
      text: '<one> <two <one>> missing',
      asked: ['one', 'two <one>'],
    });
  });

  it('sees what was declined', async () => {
    const server = serverOf((ctx) => {
      const answer = inputResponse(ctx.inputResponses, 'q');
      return answer.kind === 'missing'
        ? inputRequired({ inputRequests: { q: form('m') } })
        : said(JSON.stringify(answer));
    });
    const { client } = await linked(server, revision, { answer: () => ({ action: 'decline' }) });
    expect((await client.callTool({ name: 't' })).content).toEqual([
      { type: 'text', text: '{"kind":"elicit","action":"decline"}' },
    ]);
  });

  it('is held to the same rules as any other question', async () => {
    const ends = async (handler: Handler): Promise<string> => {
      const { client, asked } = await linked(serverOf(handler), revision);
      const outcome = await client.callTool({ name: 't' }).then(
        (result) => JSON.stringify(result),
        (error: unknown) => (error as Error).message,
      );
      expect(asked).toEqual([]);
      await client.close();
      return outcome;
    };
    expect(await ends(() => inputRequired({ inputRequests: { q: inputRequired.listRoots() } }))).toContain('roots');
    expect(
      await ends(() =>
        inputRequired({
          inputRequests: {
            q: inputRequired.elicit({
              message: 'm',
              requestedSchema: { type: 'object', properties: { password: { type: 'string' } } },
            }),
          },
        }),
      ),
    ).toContain('URL mode');
  });

  it('may mix with steps and questions of the other style, each done once', async () => {
    let runs = 0;
    const handler: Handler = async (ctx) => {
      const done = await ctx.step('once', () => (runs += 1));
      await ask(ctx, 'first');
      const answer = acceptedContent(ctx.inputResponses, 'q', Value);
      return answer === undefined
        ? inputRequired({ inputRequests: { q: form('m') } })
        : said(`${done} ${answer.value}`);
    };
    expect(await call(revision, handler)).toMatchObject({ text: '1 <m>', asked: ['first', 'm'] });
    expect(runs).toBe(1);
  });
});

describe('the explicit style', () => {
  it('waits for a step that is running before it seals, and starts none afterwards', async () => {
    let runs = 0;
    const late: string[] = [];
    const server = serverOf((ctx) => {
      if (ctx.inputResponses) return ctx.step('slow', () => (runs += 1)).then((n) => said(`${n} ${runs}`));
      void ctx.step('slow', () => wait(20).then(() => (runs += 1)));
      setTimeout(
        () =>
          void ctx
            .step('late', () => void late.push('late'))
            .catch((error: unknown) => late.push((error as Error).name)),
        30,
      );
      return inputRequired({ inputRequests: { q: form('m') } });
    });
    const first = requireAsks(await exchange(server));
    expect(runs).toBe(1);
    await wait(30);
    expect(late).toEqual(['Suspended']);
    expect(textIn(await exchange(server, { state: first.state, answers: accepting(first) }))).toBe('1 1');
  });

  it('needs something to ask or to come back with', () => {
    expect(() => inputRequired({})).toThrow(TypeError);
    expect(inputRequired({ requestState: 's' }).state).toBe('s');
  });

  it('may ask for nothing but to be called again', async () => {
    let runs = 0;
    const handler: Handler = (ctx) => (
      (runs += 1),
      ctx.requestState === 'again' ? said(`run ${runs}`) : inputRequired({ requestState: 'again' })
    );
    for (const revision of bothFamilies) {
      runs = 0;
      expect((await call(revision, handler)).text).toBe('run 2');
    }
  });

  it('reads answers that came without a state by their names, and ignores the rest', async () => {
    const server = serverOf((ctx) => {
      const answer = acceptedContent(ctx.inputResponses, 'q', Value);
      return answer === undefined ? inputRequired({ inputRequests: { q: form('m') } }) : said(answer.value);
    });
    const given = { action: 'accept', content: { value: 'x' } };
    expect(textIn(await exchange(server, { answers: { q: given, other: given } }))).toBe('x');
    expect(Object.keys(requireAsks(await exchange(server, { answers: { other: given } })).asks)).toEqual(['q']);
    expect(Object.keys(requireAsks(await exchange(server, { answers: { q: 12_345 } })).asks)).toEqual(['q']);
  });

  it('does not get the state of anybody else', async () => {
    const server = serverOf((ctx) =>
      ctx.requestState === undefined ? inputRequired({ requestState: 'mine' }) : said(ctx.requestState),
    );
    await expect(exchange(server, { state: 'mine', answers: {} })).rejects.toThrow('refused');
  });

  it('reads answers by their shape', () => {
    const responses = {
      roots: { roots: [] },
      sampling: { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
      odd: { x: 1 },
      text: 'x',
      url: { action: 'accept' },
    };
    const kinds = ['roots', 'sampling', 'odd', 'text', 'url', 'absent', 'toString'].map(
      (key) => inputResponse(responses, key).kind,
    );
    expect(kinds).toEqual(['roots', 'sampling', 'missing', 'missing', 'elicit', 'missing', 'missing']);
    expect(acceptedContent(responses, 'url')).toEqual({});
    expect(acceptedContent(responses, 'roots')).toBeUndefined();
    expect(acceptedContent({ q: { action: 'accept', content: { value: 1 } } }, 'q', Value)).toBeUndefined();
    const slow = z.object({ value: z.string().refine(async () => true) });
    expect(() => acceptedContent({ q: { action: 'accept', content: { value: 'x' } } }, 'q', slow)).toThrow(TypeError);
  });
});

describe('a handler that needs the user to open a page first', () => {
  const make = (): McpServer => {
    const signedIn = new Set<string>();
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('t', {}, (ctx) => {
      const who = ctx.client?.name ?? '';
      if (signedIn.has(who)) return text('here it is');
      signedIn.add(who);
      throw new UrlElicitationRequiredError([
        { message: 'Sign in', url: 'https://auth.example/start', elicitationId: 'e1' },
      ]);
    });
    return server;
  };

  proves('L-ELICITATION-041, L-ELICITATION-042, L-ELICITATION-043').it(
    `tells a client of ${newestHandshake.id} so by an error`,
    async () => {
      const { client } = await linked(make(), newestHandshake.id, { inputRequired: 'manual' });
      await expect(client.callTool({ name: 't' })).rejects.toMatchObject({
        code: -32042,
        data: {
          elicitations: [{ mode: 'url', message: 'Sign in', url: 'https://auth.example/start', elicitationId: 'e1' }],
        },
      });
      expect(() => new UrlElicitationRequiredError([])).toThrow(TypeError);
      expect(() => new UrlElicitationRequiredError([{ message: 'm', url: 'nowhere' }])).toThrow(TypeError);
      const ids = [1, 2].map(
        () =>
          new UrlElicitationRequiredError([{ message: 'm', url: 'https://a.example/' }]).elicitations[0]?.elicitationId,
      );
      expect(new Set(ids).size).toBe(2);
    },
  );

  it(`asks a client of ${stateless.id} to open it, and then goes on`, async () => {
    const { client, asked } = await linked(make(), stateless.id, { answer: () => ({ action: 'accept' }) });
    expect((await client.callTool({ name: 't' })).content).toEqual([{ type: 'text', text: 'here it is' }]);
    expect(asked).toEqual(['Sign in']);
  });
});

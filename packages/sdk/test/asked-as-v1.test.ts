import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as OfficialServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
  ElicitationCompleteNotificationSchema,
  type ClientCapabilities,
  type ElicitRequest,
  type McpError as OfficialError,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { Server } from '../src/server/index.ts';
import { McpServer } from '../src/server/mcp.ts';
import type { CreateMessageResult, CreateMessageResultWithTools } from '../src/types.ts';

type Ask = (server: OfficialServer) => Promise<unknown>;
type Options = ConstructorParameters<typeof OfficialServer>[1];
interface Answers {
  readonly capabilities: ClientCapabilities;
  readonly form?: object;
  readonly sampled?: object;
  readonly options?: Options;
}

const info = { name: 'asking', version: '1.0.0' };

/** The view of a server on its client: outside of any request, and in the result of a tool whose function lets it escape. */
async function seenBy(Kind: typeof OfficialServer, ask: Ask, answers: Answers): Promise<unknown> {
  const { capabilities, form = { action: 'decline' }, sampled, options } = answers;
  const server = new Kind(info, options);
  server.registerTool('ask', {}, async () => ({
    content: [{ type: 'text', text: JSON.stringify(await ask(server)) ?? 'nothing' }],
  }));
  const client = new Client({ name: 'asked', version: '1.0.0' }, { capabilities });
  const asked: ElicitRequest['params'][] = [];
  if (capabilities.elicitation)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => (asked.push(params), form as { action: 'decline' }));
  if (capabilities.sampling) client.setRequestHandler(CreateMessageRequestSchema, () => sampled as never);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  const outside = await ask(server).catch(({ name, code, message }: OfficialError) => ({ name, code, message }));
  const inside = await client.callTool({ name: 'ask' });
  const declared = server.server.getClientCapabilities();
  await client.close();
  return { outside, inside, declared, asked };
}

async function expectSame(ask: Ask, answers: Answers): Promise<void> {
  const theirs = await seenBy(OfficialServer, ask, answers);
  expect(await seenBy(McpServer as never, ask, answers)).toEqual(theirs);
}

const form = {
  message: 'Who?',
  requestedSchema: {
    type: 'object' as const,
    properties: {
      name: { type: 'string' as const, minLength: 2, pattern: '^[A-Z]' },
      mail: { type: 'string' as const, format: 'email' as const },
    },
    required: ['name'],
  },
};
const askForm: Ask = ({ server }) => server.elicitInput(form);
const askPage: Ask = ({ server }) =>
  server.elicitInput({ mode: 'url', message: 'm', elicitationId: 'e', url: 'https://a.example/' });
const askByHand =
  (params: object): Ask =>
  ({ server }) =>
    server.request({ method: 'elicitation/create', params } as never, ElicitResultSchema);
const page = { mode: 'url', message: 'm', elicitationId: 'e', url: 'https://a.example/' };
const text = (words: string) => ({ type: 'text' as const, text: words });
const sample =
  (...messages: object[]): Ask =>
  ({ server }) =>
    server.createMessage({ messages: messages as never, maxTokens: 9 });
const use = (id: string) => ({ type: 'tool_use', id, name: 't', input: {} });
const result = (toolUseId: string) => ({ type: 'tool_result', toolUseId, content: [] });
const hello = { role: 'user', content: text('hello') };
const answer = { model: 'm', role: 'assistant', content: text('hi') };

describe('a client is asked as by v1', () => {
  it.each<[string, Ask, Answers]>([
    ['a form, declined', askForm, { capabilities: { elicitation: { form: {} } } }],
    ['a form, where elicitation is declared in the old way', askForm, { capabilities: { elicitation: {} } }],
    ['a form without elicitation', askForm, { capabilities: {} }],
    ['a form, where pages alone are declared', askForm, { capabilities: { elicitation: { url: {} } } }],
    ['a page, where forms alone are declared', askPage, { capabilities: { elicitation: { form: {} } } }],
    ['by hand, a form without elicitation', askByHand(form), { capabilities: {} }],
    ['a page', askPage, { capabilities: { elicitation: { url: {} } }, form: { action: 'accept' } }],
    [
      'a form that is filled in',
      askForm,
      {
        capabilities: { elicitation: { form: {} } },
        form: { action: 'accept', content: { name: 'Ann', mail: 'a@b.cd' } },
      },
    ],
    ['a sample', sample(hello), { capabilities: { sampling: {} }, sampled: answer }],
    ['a sample without sampling', sample(hello), { capabilities: {} }],
    ['roots without roots', ({ server }) => server.listRoots(), { capabilities: {} }],
    [
      'strictly, a sample without sampling',
      sample(hello),
      { capabilities: {}, options: { enforceStrictCapabilities: true } },
    ],
    [
      'strictly, roots without roots',
      ({ server }) => server.listRoots(),
      { capabilities: {}, options: { enforceStrictCapabilities: true } },
    ],
    [
      'results beside other content',
      sample({ role: 'assistant', content: use('a') }, { role: 'user', content: [result('a'), text('b')] }),
      { capabilities: { sampling: { tools: {} } } },
    ],
    ['results of nothing', sample({ role: 'user', content: result('a') }), { capabilities: { sampling: {} } }],
    [
      'results of something else',
      sample({ role: 'assistant', content: use('a') }, { role: 'user', content: result('b') }),
      { capabilities: { sampling: {} } },
    ],
    [
      'tools, where they are not declared',
      ({ server }) => server.createMessage({ messages: [], maxTokens: 1, tools: [] }),
      { capabilities: { sampling: {} } },
    ],
  ])('%s', (_what, ask, answers) => expectSame(ask, answers));

  // The words are those of v1, which has the number twice.
  it.each([
    ['form', { url: {} }, form],
    ['URL', { form: {} }, page],
  ])('by hand, a question in the mode %s, which alone is not declared', async (mode, elicitation, params) => {
    const seen = await seenBy(McpServer as never, askByHand(params), { capabilities: { elicitation } });
    const message = `MCP error -32602: Client does not support ${mode}-mode elicitation requests`;
    expect(seen).toMatchObject({
      outside: { code: -32602, message },
      inside: { isError: true, content: [{ text: message }] },
      asked: [],
    });
  });

  it.each([{ name: 'ann' }, {}, { name: 'Ann', mail: 'none' }, { name: 1 as unknown as string }])(
    'a form that is filled in wrongly is -32602 with the reason: %j',
    async (content) => {
      const seen = (await seenBy(McpServer as never, askForm, {
        capabilities: { elicitation: {} },
        form: { action: 'accept', content },
      })) as { outside: object; inside: object };
      const words = /^MCP error -32602: Elicitation response content does not match requested schema: ./;
      expect(seen.outside).toMatchObject({ code: -32602, message: expect.stringMatching(words) as string });
      expect(seen.inside).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(words) as string }] });
    },
  );

  it('the validator of the program judges forms', async () => {
    const judged: unknown[] = [];
    const judge = {
      getValidator: (schema: object) => (input: unknown) => {
        judged.push([schema, input]);
        throw new Error('undecided');
      },
    };
    await expectSame(askForm, {
      capabilities: { elicitation: {} },
      form: { action: 'accept', content: { name: 'x' } },
      options: { jsonSchemaValidator: judge as never },
    });
    expect(judged).toHaveLength(4);
    expect(new Set(judged.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it.each([OfficialServer, McpServer as never as typeof OfficialServer])(
    'the end of a page is told to clients that have declared pages alone',
    async (Kind) => {
      const { server } = new Kind(info);
      const client = new Client(info, { capabilities: { elicitation: { url: {} } } });
      const told: unknown[] = [];
      client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => void told.push(params));
      const [near, far] = InMemoryTransport.createLinkedPair();
      expect(() => server.createElicitationCompletionNotifier('e')).toThrow(
        'Client does not support URL elicitation (required for notifications/elicitation/complete)',
      );
      await server.connect(far);
      await client.connect(near);
      await server.createElicitationCompletionNotifier('e')();
      await client.ping();
      expect(told).toEqual([{ elicitationId: 'e' }]);
      await client.close();
    },
  );

  it('a sample without tools is typed as one block of content', () => {
    const { server } = new McpServer(info);
    const plain = () => server.createMessage({ messages: [], maxTokens: 1 });
    const withTools = () => new Server(info).createMessage({ messages: [], maxTokens: 1, tools: [] });
    expectTypeOf(plain).returns.resolves.toEqualTypeOf<CreateMessageResult>();
    expectTypeOf(withTools).returns.resolves.toEqualTypeOf<CreateMessageResultWithTools>();
    const typeOf = async (): Promise<string> => (await plain()).content.type;
    expect(typeOf).toBeTypeOf('function');
  });
});

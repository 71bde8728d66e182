import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createMcpHandler } from 'crosspoint/server';
import { afterEach, describe, expect, it } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import type { Host } from '../../src/host.ts';
import type { HostOptions, ProgramServer } from '../../src/host-options.ts';
import type { JsonObject } from '../../src/index.ts';
import { anthropicProvider, modelSampling, openAiProvider, type ModelSamplingOptions } from '../../src/models/index.ts';
import { answering, closeHosts, openHost } from '../host/opened.ts';
import { samplerServer } from '../programs/sampler.mjs';
import { anthropicAnswer, chatAnswer, FakeEndpoint } from './fake-endpoint.ts';

const PROGRAM = fileURLToPath(new URL('../programs/sampler.mjs', import.meta.url));
const ends: (() => unknown)[] = [];
afterEach(async () => {
  await closeHosts();
  for (const end of ends.splice(0)) await end();
});

const overStdio = (revision: string): ProgramServer => ({
  command: process.execPath,
  args: [PROGRAM, '--revisions', revision],
});

async function overHttp(revision: string): Promise<ProgramServer> {
  const handler = createMcpHandler(samplerServer([revision]));
  const server = createServer((request, response) => void handler.node(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => {
    await handler.close({ grace: 0 });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

/** A host whose policy lets servers ask without a person. */
async function asking(
  server: ProgramServer,
  sampling: ModelSamplingOptions,
  more: Partial<HostOptions> = {},
): Promise<Host> {
  const host = openHost({
    servers: { sampler: server },
    policy: { default: 'allow' },
    sampling: modelSampling({ retries: false, ...sampling }),
    ...more,
  });
  await host.settled();
  return host;
}

async function ask(host: Host, params: JsonObject = {}): Promise<JsonObject> {
  const { content } = await host.callTool('sampler__ask', { params });
  return JSON.parse((content[0] as { text: string }).text) as JsonObject;
}

async function samplingEntries(host: Host): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for await (const { event } of host.audit.read({ type: 'sampling' })) found.push(event.details);
  return found;
}

describe.each(['2025-11-25', '2026-07-28'])('a server of %s that asks for a model', (revision) => {
  it.each(['stdio', 'HTTP'])('over %s is answered by it, and the answer is written down', async (transport) => {
    await using endpoint = await FakeEndpoint.open(anthropicAnswer({ blocks: [{ type: 'text', text: 'Good day.' }] }));
    const provider = anthropicProvider({
      baseUrl: endpoint.url,
      apiKey: 'k',
      models: [{ name: 'claude-test', prices: { input: 1, output: 5 } }],
    });
    const server = transport === 'stdio' ? overStdio(revision) : await overHttp(revision);
    const host = await asking(server, { providers: [provider] });
    expect(await ask(host, { systemPrompt: 'Be kind.' })).toMatchObject({
      role: 'assistant',
      model: 'claude-test',
      content: { type: 'text', text: 'Good day.' },
      stopReason: 'endTurn',
    });
    expect(host.servers.get('sampler')?.client?.getNegotiatedProtocolVersion()).toBe(revision);
    expect(endpoint.requests[0]?.body).toMatchObject({
      system: 'Be kind.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
    expect(await samplingEntries(host)).toEqual([
      {
        model: 'claude-test',
        provider: 'anthropic',
        stopReason: 'end-turn',
        inputTokens: 20,
        outputTokens: 12,
        cost: (20 + 12 * 5) / 1_000_000,
      },
    ]);
  });

  proves('M-SAMP-011, L-SAMPLING-036').it(
    'gets no more tokens than it asked for, and the facts of a tool use go back to the model with it',
    async () => {
      const extra_content = { google: { thought_signature: 'c2lnbmF0dXJl' } };
      const name = (request: { body: JsonObject }): string => {
        const [tool] = request.body['tools'] as readonly { readonly function: { readonly name: string } }[];
        return tool?.function.name ?? '';
      };
      await using endpoint = await FakeEndpoint.open(
        (response, request) => {
          const use = (id: string, index: number, a: number) => ({
            index,
            id,
            type: 'function',
            function: { name: name(request), arguments: JSON.stringify({ a, b: a + 1 }) },
            ...(index === 0 && { extra_content }),
          });
          const deltas = [{ tool_calls: [use('call_1', 0, 2)] }, { tool_calls: [use('call_2', 1, 4)] }];
          return chatAnswer({ text: 'I add.', deltas, finish: 'tool_calls' })(response, request);
        },
        chatAnswer({ text: '5 and 9.' }),
      );
      const provider = openAiProvider({ baseUrl: `${endpoint.url}/v1`, models: ['gpt-test'] });
      const host = await asking(overStdio(revision), { providers: [provider] });
      expect((await host.callTool('sampler__sum')).content).toEqual([{ type: 'text', text: '5 and 9.' }]);
      const [first, second] = endpoint.requests.map(({ body }) => body);
      expect([first?.['max_tokens'], second?.['max_tokens']]).toEqual([100, 100]);
      // The name of the server's tool is one that APIs refuse, so the model knows it by another.
      const known = name({ body: first ?? {} });
      expect(known).toMatch(/^[\w-]{1,64}$/);
      expect(second?.messages).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'What are 2 + 3 and 4 + 5?' }] },
        {
          role: 'assistant',
          content: 'I add.',
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: known, arguments: '{"a":2,"b":3}' }, extra_content },
            { id: 'call_2', type: 'function', function: { name: known, arguments: '{"a":4,"b":5}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '5' },
        { role: 'tool', tool_call_id: 'call_2', content: '9' },
      ]);
    },
  );

  it('is edited or refused by a person before and after, where no rule says otherwise', async () => {
    await using endpoint = await FakeEndpoint.open(chatAnswer({ text: 'Good day.' }));
    const provider = openAiProvider({ baseUrl: `${endpoint.url}/v1`, models: ['gpt-test'] });
    const policy = { default: { call: 'allow' as const, start: 'allow' as const } };
    const host = await asking(overStdio(revision), { providers: [provider] }, { policy });
    let isAllowed = true;
    const before = answering(host, 'sampling', ({ question: { request } }) =>
      isAllowed
        ? { action: 'allow', request: { ...request, systemPrompt: 'Be brief.', maxTokens: 90_000 } }
        : { action: 'deny' },
    );
    const after = answering(host, 'sampled', ({ question: { result } }) => ({
      action: 'allow',
      result: { ...result, content: { type: 'text', text: 'Good evening.' } },
    }));
    expect(await ask(host)).toMatchObject({ content: { type: 'text', text: 'Good evening.' } });
    // An edit cannot give the server more than it asked for.
    expect(endpoint.requests[0]?.body).toMatchObject({
      max_tokens: 50,
      messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
    });
    expect(before).toMatchObject([
      { question: { model: 'gpt-test' }, from: { server: 'sampler', call: { tool: 'sampler__ask' } } },
    ]);
    expect(after).toHaveLength(1);
    isAllowed = false;
    await expect(ask(host)).rejects.toThrow('User rejected sampling request');
    expect(endpoint.requests).toHaveLength(1);
  });
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer, text } from 'crosspoint/server';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { agent } from '../../src/agent/index.ts';
import type { Host } from '../../src/host.ts';
import { anthropicProvider, openAiProvider, type ModelProvider } from '../../src/models/index.ts';
import { child, closeHosts, openHost } from '../host/opened.ts';
import {
  anthropicAnswer,
  anthropicEvents,
  chatAnswer,
  cutAfter,
  FakeEndpoint,
  refusing,
  type Reply,
} from '../models/fake-endpoint.ts';
import { eventsOf, typesOf } from './script.ts';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  await closeHosts();
  for (const end of ends.splice(0)) await end();
});

/** A server over HTTP of one family. */
async function overHttp(name: string, revisions: 'handshake' | 'per-request'): Promise<{ url: string }> {
  const server = new McpServer({ name, version: '1' }, { revisions });
  server.registerTool('greet', { inputSchema: { who: z.string() } }, ({ who }) => text(`${name} greets ${who}`));
  server.registerTool('draw', {}, () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }));
  const handler = createMcpHandler(server);
  const http = createServer((request, response) => void handler.node(request, response)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  ends.push(async () => {
    http.close();
    await handler.close({ grace: 100 });
    http.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
}

/** A host with a server over stdio, one over HTTP with sessions, and one without. */
async function threeServers(provider: ModelProvider): Promise<Host> {
  return openHost({
    servers: {
      local: child('local'),
      old: await overHttp('old', 'handshake'),
      new: await overHttp('new', 'per-request'),
    },
    policy: { default: { call: 'allow', start: 'allow' } },
    agent: agent({ models: [provider], retries: { baseMs: 10 } }),
  });
}

async function anthropic(...replies: Reply[]): Promise<{ provider: ModelProvider; endpoint: FakeEndpoint }> {
  const endpoint = await FakeEndpoint.open(...replies);
  ends.push(() => endpoint[Symbol.asyncDispose]());
  return {
    endpoint,
    provider: anthropicProvider({ baseUrl: endpoint.url, apiKey: 'sk-planted', models: ['claude-test'] }),
  };
}

async function openAi(...replies: Reply[]): Promise<{ provider: ModelProvider; endpoint: FakeEndpoint }> {
  const endpoint = await FakeEndpoint.open(...replies);
  ends.push(() => endpoint[Symbol.asyncDispose]());
  const provider = openAiProvider({ baseUrl: `${endpoint.url}/v1`, apiKey: 'sk-planted', models: ['gpt-test'] });
  return { endpoint, provider };
}

const CALLS = [
  { type: 'tool_use', id: 'toolu_1', name: 'local__tool_0', input: {} },
  { type: 'tool_use', id: 'toolu_2', name: 'old__greet', input: { who: 'Ann' } },
  { type: 'tool_use', id: 'toolu_3', name: 'new__draw', input: {} },
] as const;

it("speaks Anthropic's API, with tools of three kinds of servers in one answer", async () => {
  const { provider, endpoint } = await anthropic(
    anthropicAnswer({ blocks: [{ type: 'text', text: 'Three at once.' }, ...CALLS], stop: 'tool_use' }),
    anthropicAnswer({ blocks: [{ type: 'text', text: 'All done.' }] }),
  );
  const host = await threeServers(provider);
  const run = host.run('Use all three.');
  const events = await eventsOf(run);
  expect(await run.result).toMatchObject({ reason: 'done', text: 'All done.', rounds: 2 });
  expect(typesOf(events).filter((type) => type === 'call' || type === 'result')).toHaveLength(6);
  expect(
    events
      .filter(({ type }) => type === 'text')
      .map((event) => 'text' in event && event.text)
      .join(''),
  ).toBe('Three at once.All done.');
  const sent = JSON.stringify(endpoint.requests[1]?.body.messages.at(-1));
  expect(sent).toContain('local 0');
  expect(sent).toContain('old greets Ann');
  expect(sent).toContain('"media_type":"image/png"');
});

it("speaks OpenAI's API, with tools of three kinds of servers in one answer", async () => {
  const calls = CALLS.map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) }));
  const { provider, endpoint } = await openAi(chatAnswer({ calls }), chatAnswer({ text: 'All done.' }));
  const host = await threeServers(provider);
  expect(await host.run('Use all three.').result).toMatchObject({ reason: 'done', text: 'All done.' });
  const sent = JSON.stringify(endpoint.requests[1]?.body.messages);
  expect(sent).toContain('local 0');
  expect(sent).toContain('old greets Ann');
  expect(sent).toContain('data:image/png;base64,AAAA');
});

it('asks again after a rate limit and a connection that was cut, and calls no tool of an answer that broke off', async () => {
  const broken = anthropicEvents({ blocks: [CALLS[1]], stop: 'tool_use' }).slice(0, -2);
  const limit = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } };
  const { provider } = await anthropic(
    refusing(429, limit, { 'retry-after': '0' }),
    cutAfter(broken),
    anthropicAnswer({ blocks: [{ type: 'text', text: 'Here.' }] }),
  );
  const host = await threeServers(provider);
  const run = host.run('Hello.');
  const types = typesOf(await eventsOf(run));
  expect(types.filter((type) => type === 'again')).toHaveLength(2);
  expect(types).not.toContain('call');
  expect(await run.result).toMatchObject({ reason: 'done', text: 'Here.' });
});

it('ends with a refusal, and with an error that holds no key', async () => {
  const refused = await anthropic(anthropicAnswer({ blocks: [], stop: 'refusal' }));
  expect(await (await threeServers(refused.provider)).run('Hello.').result).toMatchObject({ reason: 'refused' });
  const denied = await openAi(refusing(401, { error: { message: 'Incorrect API key provided: sk-planted' } }));
  const result = await (await threeServers(denied.provider)).run('Hello.').result;
  expect(result.reason).toBe('failed');
  expect(JSON.stringify([result, result.error?.message])).not.toContain('sk-planted');
});

it('shortens a conversation that the API calls too long', async () => {
  const long = {
    error: { message: "This model's maximum context length is 10 tokens.", code: 'context_length_exceeded' },
  };
  const calls = [{ id: 'c1', name: 'old__greet', arguments: JSON.stringify({ who: 'A'.repeat(2000) }) }];
  const { provider, endpoint } = await openAi(
    chatAnswer({ calls }),
    refusing(400, long),
    chatAnswer({ text: 'Short.' }),
  );
  const host = await threeServers(provider);
  const run = host.run('Greet.');
  expect(typesOf(await eventsOf(run))).toContain('shortened');
  expect(await run.result).toMatchObject({ reason: 'done', text: 'Short.' });
  const [before, after] = [1, 2].map((at) => JSON.stringify(endpoint.requests[at]?.body.messages).length);
  expect(after).toBeLessThan(before ?? 0);
  expect(JSON.stringify(endpoint.requests[2]?.body)).toContain('read_result');
});

it('tells the model of arguments that are no JSON', async () => {
  const calls = [{ id: 'c1', name: 'old__greet', arguments: '{"who": "An' }];
  const { provider, endpoint } = await openAi(chatAnswer({ calls }), chatAnswer({ text: 'Sorry.' }));
  await (await threeServers(provider)).run('Greet.').result;
  expect(JSON.stringify(endpoint.requests[1]?.body.messages)).toContain('are no JSON object, so nothing was called');
});

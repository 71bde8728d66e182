import * as official from '@modelcontextprotocol/sdk/client/middleware.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as ours from '../../src/client/middleware.ts';
import { authorizationServer, goodResource, goodServer, steady, type Answers } from './authorization-server.ts';
import { RecordingProvider } from './recording-provider.ts';

type Sdk = typeof ours;
const OFFICIAL = official as unknown as Sdk;

afterEach(() => void vi.restoreAllMocks());

describe('withOAuth is as in v1', () => {
  beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}));

  const seen = async ({ withOAuth }: Sdk, answers: Answers, accepted: string): Promise<string> => {
    const server = await authorizationServer(answers);
    const provider = new RecordingProvider();
    provider.client = { client_id: 'desk' };
    provider.kept = { access_token: 'stale', token_type: 'Bearer', refresh_token: 'again' };
    const sent: unknown[] = [];
    const next = async (url: string | URL, init?: RequestInit): Promise<Response> => {
      const token = new Headers(init?.headers).get('authorization');
      sent.push([String(url), init?.method, token]);
      if (new URL(url).pathname !== '/mcp') return fetch(url, init);
      return new Response(null, { status: token === accepted ? 204 : 401 });
    };
    try {
      const outcome = await withOAuth(
        provider,
        `${server.url}/mcp`,
      )(next)(`${server.url}/mcp`, { method: 'PUT' }).then(
        ({ status }) => status,
        (error: Error) => `${error.constructor.name}: ${error.message}`,
      );
      return steady(JSON.stringify([outcome, sent, provider.calls]));
    } finally {
      await server.close();
    }
  };

  it.each<[what: string, answers: Answers, accepted: string]>([
    ['a token that is good', {}, 'Bearer stale'],
    ['a token that is renewed', { resource: goodResource, server: goodServer }, 'Bearer fresh'],
    ['a token that is refused again', { resource: goodResource, server: goodServer }, 'Bearer other'],
    [
      'a user who is sent away',
      { resource: goodResource, server: goodServer, tokens: [[400, { error: 'invalid_grant' }]] },
      '',
    ],
    ['a login that fails', { resource: goodResource, server: 500 }, ''],
  ])('%s', async (_, answers, accepted) => {
    const [expected, actual] = [await seen(OFFICIAL, answers, accepted), await seen(ours, answers, accepted)];
    expect(JSON.parse(actual)).toEqual(JSON.parse(expected));
  });
});

describe('withLogging is as in v1', () => {
  const linesOf = async ({ withLogging }: Sdk, answer: () => Promise<Response>): Promise<string[]> => {
    const lines: string[] = [];
    for (const how of ['log', 'error'] as const)
      vi.spyOn(console, how).mockImplementation((line: string) => void lines.push(`${how} ${line}`));
    const logged = withLogging({ includeRequestHeaders: true, includeResponseHeaders: true })(answer);
    await logged(new URL('https://a.example/x'), { method: 'POST', headers: { one: '1', two: '2' } }).catch(() => {});
    return lines.map((line) => line.replace(/[\d.]+ms/, '<time>'));
  };

  it.each<[what: string, answer: () => Promise<Response>]>([
    ['an answer', async () => new Response('x', { statusText: 'Fine', headers: { three: '3' } })],
    ['a refusal', async () => new Response(null, { status: 404, statusText: 'Not here' })],
    ['a failure', async () => Promise.reject(new Error('Cut off'))],
  ])('%s', async (_, answer) => {
    const [expected, actual] = [await linesOf(OFFICIAL, answer), await linesOf(ours, answer)];
    expect(expected).toHaveLength(1);
    expect(actual).toEqual(expected);
  });
});

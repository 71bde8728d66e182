import { expect, it } from 'vitest';
import {
  anthropicProvider,
  ModelError,
  withRetries,
  type ModelEvent,
  type ModelRequest,
} from '../../src/models/index.ts';
import { anthropicAnswer, anthropicEvents, cutAfter, FakeEndpoint, refusing, type Reply } from './fake-endpoint.ts';

const HELLO: ModelRequest = {
  model: 'claude-test',
  maxTokens: 100,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
};
const BLOCKS = [{ type: 'text', text: 'Good day.' }];
const BUSY = { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } };

async function tried(replies: Reply[], options: Parameters<typeof withRetries>[1] = {}, signal?: AbortSignal) {
  await using endpoint = await FakeEndpoint.open(...replies);
  const events: ModelEvent[] = [];
  const provider = withRetries(anthropicProvider({ baseUrl: endpoint.url, apiKey: 'k', models: ['claude-test'] }), {
    baseMs: 5,
    ...options,
  });
  const onevent = (event: ModelEvent): void => void events.push(event);
  const outcome = await provider.complete(HELLO, { onevent, signal }).catch((error: unknown) => error);
  return { outcome, events, requests: endpoint.requests.length };
}

it('sends a request again after the time that the provider names, and tells of it', async () => {
  const began = Date.now();
  const { outcome, events, requests } = await tried([
    refusing(429, BUSY, { 'retry-after-ms': '150' }),
    refusing(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    cutAfter(anthropicEvents({ blocks: BLOCKS }).slice(0, 5)),
    anthropicAnswer({ blocks: BLOCKS }),
  ]);
  expect(outcome).toMatchObject({ content: BLOCKS });
  expect(requests).toBe(4);
  expect(Date.now() - began).toBeGreaterThanOrEqual(150);
  const again = events.flatMap((event) => (event.type === 'again' ? [event] : []));
  expect(again.map(({ error }) => error.kind)).toEqual(['rate-limited', 'overloaded', 'interrupted']);
  expect(again[0]?.waitMs).toBe(150);
  // The words after the last `again` are the whole answer.
  const last = events.slice(events.findLastIndex(({ type }) => type === 'again'));
  expect(last.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')).toBe('Good day.');
});

it('gives up after its attempts, at once where the wait is too long, and never tries what cannot help', async () => {
  expect(await tried([refusing(529, BUSY)], { attempts: 3 })).toMatchObject({
    outcome: { kind: 'overloaded' },
    requests: 3,
  });
  expect(await tried([refusing(429, BUSY, { 'retry-after': '3000' })])).toMatchObject({
    outcome: { kind: 'rate-limited', retryAfterMs: 3_000_000 },
    requests: 1,
  });
  for (const status of [400, 401, 413])
    expect(await tried([refusing(status, { error: { type: 'x', message: 'no' } })])).toMatchObject({ requests: 1 });
});

it('ends its wait with the signal', async () => {
  const stopped = new AbortController();
  const reason = new Error('enough');
  setTimeout(() => stopped.abort(reason), 50);
  const { outcome, requests } = await tried([refusing(429, BUSY, { 'retry-after': '30' })], {}, stopped.signal);
  expect(outcome).toBe(reason);
  expect(requests).toBe(1);
});

it('passes on the errors of a provider that are its own', async () => {
  const own = new TypeError('a mistake in the provider');
  const provider = withRetries({ name: 'own', models: () => [{ name: 'm' }], complete: () => Promise.reject(own) });
  await expect(provider.complete(HELLO)).rejects.toBe(own);
  expect(provider.models()).toEqual([{ name: 'm' }]);
  const refused = new ModelError('no', { kind: 'refused', provider: 'own' });
  await expect(withRetries({ ...provider, complete: () => Promise.reject(refused) }).complete(HELLO)).rejects.toBe(
    refused,
  );
});

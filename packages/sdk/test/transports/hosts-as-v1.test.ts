import { createMcpExpressApp as officialApp } from '@modelcontextprotocol/sdk/server/express.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMcpExpressApp as ourApp } from '../../src/server/express.ts';
import { listen } from '../listening.ts';
import { ask } from './raw-http.ts';

type MakeApp = typeof officialApp;
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  vi.restoreAllMocks();
});

async function answers(makeApp: MakeApp, options?: Parameters<MakeApp>[0]): Promise<unknown[]> {
  const app = makeApp(options);
  app.get('/', (_request, response) => void response.json('let in'));
  const listening = await listen(app);
  open.push(listening);
  const seen: unknown[] = [];
  for (const host of ['localhost:80', '[::1]', 'tools.example:8080', 'evil.example', 'a b']) {
    const answer = await ask(listening.url, { method: 'GET', headers: { host } });
    seen.push(host, answer.status, JSON.parse(await answer.whole));
  }
  return seen;
}

describe('hosts that are not let in are refused in the words of v1', () => {
  it.each([undefined, { allowedHosts: ['tools.example'] }])('with %j', async (options) => {
    expect(await answers(ourApp as MakeApp, options)).toEqual(await answers(officialApp, options));
  });

  it('a server for every interface is warned of', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    for (const makeApp of [officialApp, ourApp]) makeApp({ host: '0.0.0.0' });
    const [official, ours] = warn.mock.calls;
    expect(official).toBeDefined();
    expect(ours).toEqual(official);
  });
});

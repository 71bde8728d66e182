import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createLogin } from 'crosspoint/auth/node';
import { thirdParty, type ThirdParty } from '../src/index.ts';
import { Client, StreamableHTTPClientTransport } from 'crosspoint/client';
import type { ElicitUrlParams } from '../../crosspoint/src/protocol/elicitation/elicitation.ts';
import { CHROMIUM_FLAGS, findChromium } from '../../crosspoint/test/chromium.ts';
import { makeServer } from '../../crosspoint/test/http/serving.ts';
import { PEOPLE, closeStarted, start } from './login-kit.ts';
import { UPSTREAM_CLIENT, startUpstream } from './upstream.ts';

const executablePath = findChromium();
if (executablePath === undefined) console.warn('There is no chromium here: the login in a real browser is not tried.');

describe.skipIf(executablePath === undefined)('in a real browser', () => {
  const profile = mkdtempSync(join(tmpdir(), 'crosspoint-browser-'));
  let context: BrowserContext;
  beforeAll(async () => {
    context = await chromium.launchPersistentContext(profile, {
      executablePath: executablePath ?? '',
      headless: true,
      args: CHROMIUM_FLAGS,
      timeout: 60_000,
    });
    context.setDefaultTimeout(30_000);
  }, 90_000);
  afterAll(async () => {
    await context?.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  afterEach(async () => {
    await context.clearCookies();
    await closeStarted();
  });

  async function logIn(page: Page, name: string): Promise<void> {
    await page.fill('input[name=username]', name);
    await page.fill('input[name=password]', PEOPLE[name] ?? '');
    await page.click('button');
  }

  test('somebody logs in to the embedded server, allows a program, and its call goes through', async () => {
    const server = makeServer();
    server.registerTool('write', { inputSchema: z.object({}), scopes: ['write'] }, async (_args, ctx) => ({
      content: [{ type: 'text', text: `written by ${String(ctx.authInfo?.extra?.['name'])}` }],
    }));
    const at = await start({ server, auth: { scopes: ['read'] } });
    const page = await context.newPage();
    const shown: string[] = [];
    const login = createLogin({
      serverUrl: at.resource,
      clientName: 'Real program',
      say: () => {},
      open: async (address) => {
        await page.goto(address.href);
        // The second time the browser remembers who it is.
        if ((await page.locator('input[name=password]').count()) > 0) await logIn(page, 'ada');
        await page.waitForSelector('button[value=approve]');
        shown.push(await page.innerText('main'));
        await page.click('button[value=approve]');
        await page.waitForURL('http://127.0.0.1:*/callback?*');
      },
    });
    const client = new Client({ name: 'c', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(at.resource), { authProvider: login }));
    const echoed = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    expect(echoed.content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(shown).toHaveLength(1);
    for (const words of ['Real program', '127.0.0.1', at.resource, 'read', 'Person ada', 'any program there can claim'])
      expect(shown[0]).toContain(words);
    // More rights are asked for when they are needed, in the same browser.
    const written = await client.callTool({ name: 'write', arguments: {} });
    expect(written.content).toEqual([{ type: 'text', text: 'written by Person ada' }]);
    expect(shown).toHaveLength(2);
    expect(shown[1]).toContain('read, write');
    await client.close();
  }, 90_000);

  test('a third party is connected by the person at the browser', async () => {
    const upstream = await startUpstream();
    let hub: ThirdParty | undefined;
    const at = await start({
      also: ({ url, as }) => {
        hub = thirdParty({
          id: 'hub',
          name: 'Hub',
          issuer: upstream.url,
          ...UPSTREAM_CLIENT,
          scopes: [],
          baseUrl: url,
          people: as,
        });
        return [hub];
      },
      serverOf: () => {
        const server = makeServer();
        server.registerTool('whoami', {}, async (ctx) => ({
          content: [{ type: 'text', text: upstream.tokens.get((await hub?.accessToken(ctx)) ?? '') ?? 'nobody' }],
        }));
        return server;
      },
    });
    const page = await context.newPage();
    const login = createLogin({
      serverUrl: at.resource,
      clientName: 'Real program',
      say: () => {},
      open: async (address) => {
        await page.goto(address.href);
        await logIn(page, 'bob');
        await page.click('button[value=approve]');
      },
    });
    const client = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: { url: {} } } });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      await page.goto((params as ElicitUrlParams).url);
      return { action: 'accept' };
    });
    upstream.user = 'bob-at-hub';
    await client.connect(new StreamableHTTPClientTransport(new URL(at.resource), { authProvider: login }));
    const result = await client.callTool({ name: 'whoami' });
    expect(result.content).toEqual([{ type: 'text', text: 'bob-at-hub' }]);
    expect(await page.innerText('main')).toContain('Hub is connected');
    await client.close();
    await upstream.close();
  }, 90_000);
});

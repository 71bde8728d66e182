import * as v2 from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, test } from 'vitest';
import { makeServer } from '../../crosspoint/test/http/serving.ts';
import { Browser, CALLBACK, closeStarted, start, type Started } from './login-kit.ts';

afterEach(closeStarted);

/** The login of a program that remembers nothing, in the shape that both official clients want. */
function makeProvider(more: object = {}): { provider: object; page: () => URL } {
  let page: URL | undefined;
  let information: unknown;
  let tokens: unknown;
  let verifier = '';
  const provider = {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'Official', redirect_uris: [CALLBACK], application_type: 'web', ...more },
    clientInformation: () => information,
    saveClientInformation: (given: unknown) => void (information = given),
    tokens: () => tokens,
    saveTokens: (given: unknown) => void (tokens = given),
    redirectToAuthorization: (url: URL) => void (page = url),
    saveCodeVerifier: (given: string) => void (verifier = given),
    codeVerifier: () => verifier,
    state: () => 'st4te',
  };
  return { provider, page: () => page as URL };
}

async function allow(page: URL): Promise<URLSearchParams> {
  const browser = await new Browser().go(page.href);
  await browser.logIn('ada');
  await browser.submit({ action: 'approve' });
  return browser.params;
}

describe('the official clients log in to the embedded server', () => {
  test('the first', async () => {
    const at: Started = await start({ auth: { scopes: ['read'] } });
    const { provider, page } = makeProvider();
    const transport = () => new V1Transport(new URL(at.resource), { authProvider: provider as never });
    const first = transport();
    await expect(new V1Client({ name: 'c', version: '1' }).connect(first as never)).rejects.toThrow('Unauthorized');
    expect(page().searchParams.get('resource')).toBe(at.resource);
    await first.finishAuth((await allow(page())).get('code') ?? '');
    const client = new V1Client({ name: 'c', version: '1' });
    await client.connect(transport() as never);
    const result = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    expect(result.content).toEqual([{ type: 'text', text: 'hello' }]);
    await client.close();
  });

  test('the first, which registers with the scope of the first challenge and asks its user for another later', async () => {
    const server = makeServer();
    server.registerTool('change', { scopes: ['write'] }, async () => ({
      content: [{ type: 'text', text: 'changed' }],
    }));
    const at: Started = await start({ auth: { scopes: ['read'] }, server });
    // With a refresh token it would refresh, which gives no more than before.
    const { provider, page } = makeProvider({ grant_types: ['authorization_code'] });
    const transport = () => new V1Transport(new URL(at.resource), { authProvider: provider as never });
    const first = transport();
    await expect(new V1Client({ name: 'c', version: '1' }).connect(first as never)).rejects.toThrow('Unauthorized');
    await first.finishAuth((await allow(page())).get('code') ?? '');
    const client = new V1Client({ name: 'c', version: '1' });
    const second = transport();
    await client.connect(second as never);
    await expect(client.callTool({ name: 'change', arguments: {} })).rejects.toThrow('Unauthorized');
    expect(page().searchParams.get('scope')).toContain('write');
    await second.finishAuth((await allow(page())).get('code') ?? '');
    const { content } = await client.callTool({ name: 'change', arguments: {} });
    expect(content).toEqual([{ type: 'text', text: 'changed' }]);
    await client.close();
  });

  test('the second', async () => {
    const at = await start({ auth: { scopes: ['read'] } });
    const { provider, page } = makeProvider();
    const transport = () =>
      new v2.StreamableHTTPClientTransport(new URL(at.resource), { authProvider: provider as never });
    const first = transport();
    await expect(new v2.Client({ name: 'c', version: '1' }).connect(first)).rejects.toThrow();
    await first.finishAuth(await allow(page()));
    const client = new v2.Client({ name: 'c', version: '1' });
    await client.connect(transport());
    const result = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    expect(result.content).toEqual([{ type: 'text', text: 'hello' }]);
    await client.close();
  });
});

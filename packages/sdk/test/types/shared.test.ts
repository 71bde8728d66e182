import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as officialAuth from '@modelcontextprotocol/sdk/shared/auth.js';
import * as officialResource from '@modelcontextprotocol/sdk/shared/auth-utils.js';
import * as officialMedia from '@modelcontextprotocol/sdk/shared/mediaType.js';
import * as officialNames from '@modelcontextprotocol/sdk/shared/metadataUtils.js';
import * as officialTools from '@modelcontextprotocol/sdk/shared/toolNameValidation.js';
import * as officialTransport from '@modelcontextprotocol/sdk/shared/transport.js';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import * as auth from '../../src/shared/auth.ts';
import { getDisplayName } from '../../src/shared/metadataUtils.ts';
import { isJsonContentType, mediaTypeEssence } from '../../src/shared/mediaType.ts';
import { checkResourceAllowed, resourceUrlFromServerUrl } from '../../src/shared/auth-utils.ts';
import { ReadBuffer, deserializeMessage, serializeMessage } from '../../src/shared/stdio.ts';
import { validateAndWarnToolName, validateToolName } from '../../src/shared/toolNameValidation.ts';
import {
  createFetchWithInit,
  fetchLeavingRedirects,
  fetchWithinOrigin,
  isWithinOrigin,
  normalizeHeaders,
  unfollowedRedirect,
  type FetchLike,
} from '../../src/shared/transport.ts';
import { UriTemplate } from '../../src/shared/uriTemplate.ts';
import { mutationsOf } from './mutations.ts';

afterEach(() => void vi.restoreAllMocks());

describe('shared/toolNameValidation.js', () => {
  it('judges names as the official one does, and warns where it warns', () => {
    const names = [
      'get_user',
      'a.b-c',
      '',
      'a'.repeat(128),
      'a'.repeat(129),
      'with space',
      'a,b',
      'ü',
      '-a',
      'a.',
      '/x',
    ];
    for (const name of names) {
      expect([name, validateToolName(name)]).toEqual([name, officialTools.validateToolName(name)]);
    }
  });

  it('warns on standard error', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    expect(validateAndWarnToolName('fine')).toBe(true);
    expect(warn).not.toHaveBeenCalled();
    expect(validateAndWarnToolName('not fine')).toBe(false);
    expect(warn.mock.calls.flat().join(' ')).toContain('" "');
  });
});

describe('shared/auth-utils.js', () => {
  it('compares resources as the official one does', () => {
    const urls = [
      'https://a.b',
      'https://a.b/',
      'https://a.b/x',
      'https://a.b/x/',
      'https://a.b/x/y?q#h',
      'https://a.b/xy',
    ];
    const others = ['https://a.b:444/x', 'http://a.b/x', 'https://c.d/x'];
    for (const requestedResource of [...urls, ...others])
      for (const configuredResource of urls)
        expect(checkResourceAllowed({ requestedResource, configuredResource })).toBe(
          officialResource.checkResourceAllowed({ requestedResource, configuredResource }),
        );
    expect(resourceUrlFromServerUrl(new URL('https://a.b/x?q#h')).href).toBe('https://a.b/x?q');
  });
});

describe('shared/mediaType.js', () => {
  it('reads headers as the official one does', () => {
    const headers = [
      'application/json',
      'Application/JSON; charset=utf-8',
      ' application/json ',
      'application/json; a="x, y"',
      'application/json; charset',
      'application/json; a=b, text/plain',
      'application/json, application/json',
      'application/json; a="x\\"; b=", text/plain',
      'text/plain',
      ';',
      '',
      null,
      undefined,
    ];
    for (const header of headers) {
      expect([header, mediaTypeEssence(header)]).toEqual([header, officialMedia.mediaTypeEssence(header)]);
      expect(isJsonContentType(header)).toBe(officialMedia.isJsonContentType(header));
    }
  });
});

describe('shared/metadataUtils.js', () => {
  proves('L-SDK-042').it('prefers the title, then that of the annotations, then the name', () => {
    const items = [
      { name: 'n' },
      { name: 'n', title: 't' },
      { name: 'n', title: '' },
      { name: 'n', annotations: { title: 'a' } },
      { name: 'n', title: 't', annotations: { title: 'a' } },
      { name: 'n', title: '', annotations: {} },
    ];
    expect(items.map(getDisplayName)).toEqual(['n', 't', 'n', 'a', 't', 'n']);
    for (const item of items) expect(getDisplayName(item)).toBe(officialNames.getDisplayName(item));
  });
});

describe('shared/stdio.js', () => {
  const message = { jsonrpc: '2.0', method: 'notifications/x', params: { text: 'žluťoučký' } } as const;

  it('gives messages back however their bytes were cut', () => {
    const bytes = new TextEncoder().encode(serializeMessage(message).replace('\n', '\r\n') + serializeMessage(message));
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const buffer = new ReadBuffer();
      const read: unknown[] = [];
      for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
        buffer.append(part);
        for (let next = buffer.readMessage(); next !== null; next = buffer.readMessage()) read.push(next);
      }
      expect(read).toEqual([message, message]);
    }
  });

  it('refuses what is no message and goes on with the next line', () => {
    const buffer = new ReadBuffer();
    buffer.append(Buffer.from(`{"a":1}\nnot json\n${serializeMessage(message)}`));
    expect(() => buffer.readMessage()).toThrow();
    expect(() => buffer.readMessage()).toThrow(SyntaxError);
    expect(buffer.readMessage()).toEqual(message);
    expect(buffer.readMessage()).toBeNull();
    expect(() => deserializeMessage('[]')).toThrow();
  });

  it('holds no more than its limit', () => {
    const buffer = new ReadBuffer({ maxBufferSize: 4 });
    buffer.append(Buffer.from('1234'));
    expect(() => buffer.append(Buffer.from('5'))).toThrow('4');
    expect(buffer.readMessage()).toBeNull();
    buffer.append(Buffer.from('1234'));
  });
});

describe('shared/uriTemplate.js', () => {
  it('expands and matches', () => {
    const template = new UriTemplate('users://{id}/{?tab}');
    expect(template.variableNames).toEqual(['id', 'tab']);
    expect(template.expand({ id: 'a b', tab: 'x' })).toBe('users://a%20b/?tab=x');
    expect(new UriTemplate('users://{id}').match('users://7')).toEqual({ id: '7' });
    expect(UriTemplate.isTemplate('users://{id}')).toBe(true);
  });
});

describe('shared/transport.js', () => {
  it('takes headers in any form', () => {
    const forms: HeadersInit[] = [{ a: '1' }, [['a', '1']], new Headers({ a: '1' })];
    expect(forms.map(normalizeHeaders)).toEqual([{ a: '1' }, { a: '1' }, { a: '1' }]);
    expect(normalizeHeaders(undefined)).toEqual({});
  });

  it('puts settings into every request, those of the request first', async () => {
    const sent: (RequestInit | undefined)[] = [];
    const base: FetchLike = async (_url, init) => {
      sent.push(init);
      return new Response();
    };
    expect(createFetchWithInit(base)).toBe(base);
    const own = createFetchWithInit(base, { credentials: 'include', headers: { a: '1', b: '1' } });
    await own('https://a.b/', { method: 'POST', headers: { b: '2' } });
    await own('https://a.b/');
    expect(sent).toEqual([
      { credentials: 'include', method: 'POST', headers: { a: '1', b: '2' } },
      { credentials: 'include', headers: { a: '1', b: '1' } },
    ]);
  });

  it('knows origins as the official one does', () => {
    const urls = [
      'http://a.b/',
      'http://a.b:8080/',
      'https://a.b/x',
      'https://a.b:8443/',
      'http://c.d/',
      'https://c.d/',
    ];
    for (const from of urls)
      for (const to of urls)
        expect([from, to, isWithinOrigin(new URL(from), new URL(to))]).toEqual([
          from,
          to,
          officialTransport.isWithinOrigin(new URL(from), new URL(to)),
        ]);
  });
});

describe('redirects of shared/transport.js', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  /** A server that redirects by its paths: `/to?status=…&location=…`. Any other path answers with what it was sent. */
  async function redirecting(): Promise<{ base: string; seen: string[] }> {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      seen.push(`${request.method} ${url.pathname} ${request.headers.authorization ?? '-'}`);
      const location = url.searchParams.get('location');
      if (location === null) return void response.end('here');
      response.writeHead(Number(url.searchParams.get('status')), { location }).end();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
  }
  const to = (base: string, status: number, location: string): string =>
    `${base}/to?status=${status}&location=${encodeURIComponent(location)}`;
  const init = { headers: { authorization: 'Bearer secret' } };

  it('are followed within the origin', async () => {
    const { base, seen } = await redirecting();
    const response = await fetchWithinOrigin()(to(base, 302, '/end'), init);
    expect([response.status, await response.text()]).toEqual([200, 'here']);
    expect(seen).toEqual(['GET /to Bearer secret', 'GET /end Bearer secret']);
    const posted = await fetchWithinOrigin()(to(base, 307, '/end'), { ...init, method: 'POST', body: '{}' });
    expect(await posted.text()).toBe('here');
    expect(seen.at(-1)).toBe('POST /end Bearer secret');
  });

  it('are not followed elsewhere, nor where a request would change, nor for ever', async () => {
    const [one, two] = [await redirecting(), await redirecting()];
    const away = await fetchWithinOrigin()(to(one.base, 307, `${two.base}/end`), init);
    expect([away.status, two.seen]).toEqual([307, []]);
    expect(unfollowedRedirect(away, one.base)).toContain(`${two.base}/end`);
    const changed = await fetchWithinOrigin()(to(one.base, 302, '/end'), { ...init, method: 'POST', body: '{}' });
    expect(changed.status).toBe(302);
    const loop = `${one.base}/to?status=302&location=`;
    const endless = await fetchWithinOrigin(async (url, options) => {
      const response = await fetch(url, options);
      return new Response(null, { status: response.status, headers: { location: loop + encodeURIComponent(loop) } });
    })(loop + encodeURIComponent(loop), init);
    expect(endless.status).toBe(302);
  });

  it('are left to whoever has decided about them', async () => {
    const { base } = await redirecting();
    const manual = await fetchWithinOrigin()(to(base, 302, '/end'), { redirect: 'manual' });
    expect(manual.status).toBe(302);
    const own = fetchLeavingRedirects();
    expect(fetchWithinOrigin(own)).toBe(own);
  });

  it('are told of without secrets', () => {
    const redirect = (location: string): Response => new Response(null, { status: 302, headers: { location } });
    const told = unfollowedRedirect(redirect('http://user:pass@c.d/x?token=1#y'), 'https://a.b/');
    expect(told).toContain('https://c.d/x');
    expect(told).not.toMatch(/pass|token/);
    expect(unfollowedRedirect(new Response('x'), 'https://a.b/')).toBeUndefined();
  });
});

describe('shared/auth.js', () => {
  const server = {
    issuer: 'https://as.example',
    authorization_endpoint: 'https://as.example/authorize',
    token_endpoint: 'https://as.example/token',
    registration_endpoint: 'https://as.example/register',
    response_types_supported: ['code'],
    scopes_supported: ['a'],
    grant_types_supported: ['authorization_code'],
    response_modes_supported: ['query'],
    token_endpoint_auth_methods_supported: ['none'],
    token_endpoint_auth_signing_alg_values_supported: ['ES256'],
    service_documentation: 'https://as.example/docs',
    client_id_metadata_document_supported: true,
  };
  const oauth = {
    ...server,
    revocation_endpoint: 'https://as.example/revoke',
    revocation_endpoint_auth_methods_supported: ['none'],
    introspection_endpoint: 'https://as.example/introspect',
    introspection_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    other: 1,
  };
  const openId = {
    ...server,
    jwks_uri: 'https://as.example/jwks',
    userinfo_endpoint: 'https://as.example/me',
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    claims_supported: ['sub'],
    claims_parameter_supported: true,
    op_policy_uri: 'https://as.example/policy',
    other: 1,
  };
  const metadata = {
    redirect_uris: ['http://localhost/callback'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    client_name: 'Client',
    client_uri: 'https://client.example',
    logo_uri: 'https://client.example/logo.png',
    scope: 'a b',
    contacts: ['a@b.c'],
    tos_uri: '',
    policy_uri: 'https://client.example/policy',
    jwks: { keys: [] },
    software_id: 'x',
  };
  const information = {
    client_id: 'c',
    client_secret: 's',
    client_id_issued_at: 1,
    client_secret_expires_at: 0,
    issuer: 'https://as.example',
  };
  const examples: Readonly<Record<string, readonly unknown[]>> = {
    SafeUrlSchema: ['https://a.b/', 'com.example.app:/callback', 'javascript:alert(1)', 'data:,x', 'x'],
    OptionalSafeUrlSchema: ['https://a.b/', ''],
    OAuthProtectedResourceMetadataSchema: [
      {
        resource: 'https://a.b/mcp',
        authorization_servers: ['https://as.example'],
        jwks_uri: 'https://a.b/jwks',
        scopes_supported: ['a'],
        bearer_methods_supported: ['header'],
        resource_name: 'A',
        resource_policy_uri: 'https://a.b/policy',
        dpop_bound_access_tokens_required: false,
        other: 1,
      },
    ],
    OAuthMetadataSchema: [oauth],
    OpenIdProviderMetadataSchema: [openId],
    OpenIdProviderDiscoveryMetadataSchema: [{ ...openId, code_challenge_methods_supported: ['S256'] }],
    OAuthTokensSchema: [
      { access_token: 'a', token_type: 'Bearer', expires_in: 3600, scope: 'a', refresh_token: 'r', id_token: 'i' },
      { access_token: 'a', token_type: 'Bearer', expires_in: '3600', issuer: 'https://as.example' },
    ],
    OAuthErrorResponseSchema: [{ error: 'invalid_grant', error_description: 'No.', error_uri: 'https://a.b/' }],
    OAuthClientMetadataSchema: [metadata],
    OAuthClientInformationSchema: [information],
    OAuthClientInformationFullSchema: [{ ...metadata, ...information }],
    OAuthClientRegistrationErrorSchema: [{ error: 'invalid_redirect_uri', error_description: 'No.' }],
    OAuthTokenRevocationRequestSchema: [{ token: 't', token_type_hint: 'access_token' }],
  };
  type Schemas = Record<string, { safeParse(value: unknown): { success: boolean; data?: unknown } }>;
  const [ours, theirs] = [auth as object as Schemas, officialAuth as object as Schemas];

  it.each(Object.keys(officialAuth))('%s accepts, refuses and reads the same as the official one', (name) => {
    const given = examples[name] ?? [];
    expect(given.length).toBeGreaterThan(0);
    expect(ours[name]?.safeParse(given[0]).success).toBe(true);
    for (const value of given.flatMap((example) => [example, ...mutationsOf(example)])) {
      const [our, their] = [ours[name]?.safeParse(value), theirs[name]?.safeParse(value)];
      expect([value, our?.success]).toEqual([value, their?.success]);
      if (our?.success) expect(isDeepStrictEqual(our.data, their?.data), JSON.stringify(value)).toBe(true);
    }
  });
});

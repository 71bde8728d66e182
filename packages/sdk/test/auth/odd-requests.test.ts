import express from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { CALLBACK } from '../../../authorization-server/test/login-kit.ts';
import {
  FORM,
  LONG,
  expectCalm,
  send,
  variants,
  type Fields,
} from '../../../authorization-server/test/hostile-requests.ts';
import type { OAuthServerProvider } from '../../src/server/auth/provider.ts';
import { mcpAuthRouter } from '../../src/server/auth/router.ts';
import { listen, type Listening } from '../listening.ts';
import { makeProvider } from './memory-provider.ts';

const open: Listening[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

describe('no request makes a router around a provider fail', () => {
  async function startRouter(
    parser: express.RequestHandler | undefined,
  ): Promise<{ url: string; problems: unknown[] }> {
    const desk = { client_id: 'desk', redirect_uris: [CALLBACK] };
    const { clientsStore, ...whole } = makeProvider();
    const provider: OAuthServerProvider = {
      ...whole,
      clientsStore: { ...clientsStore, getClient: (id) => (id === 'desk' ? desk : undefined) },
      exchangeRefreshToken: async () => ({ access_token: 'x', token_type: 'Bearer' }),
    };
    const problems: unknown[] = [];
    const app = express();
    if (parser) app.use(parser);
    const free = { rateLimit: false } as const;
    app.use(
      mcpAuthRouter({
        provider,
        issuerUrl: new URL('http://127.0.0.1:1'),
        authorizationOptions: free,
        tokenOptions: free,
        revocationOptions: free,
        clientRegistrationOptions: free,
      }),
    );
    const tell: express.ErrorRequestHandler = (error, _request, response, _next) => {
      problems.push(error);
      response.status(500).end();
    };
    app.use(tell);
    const listening = await listen(app);
    open.push(listening);
    return { url: listening.url, problems };
  }

  // A parser of a framework makes lists and objects of fields, and some of the objects have no prototype.
  const plain: express.RequestHandler = (request, _response, next) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Object.create(null) as Record<string, unknown>;
      for (const [name, value] of new URLSearchParams(Buffer.concat(chunks).toString())) {
        const [, field = '', inner] = /^([^[]*)\[(\w*)/.exec(name) ?? [];
        body[inner === undefined ? name : field] =
          inner === undefined ? value : Object.assign(Object.create(null) as object, { [inner]: value });
      }
      Object.assign(request, { body });
      next();
    });
  };

  for (const [name, parser] of [
    ['that reads its bodies', undefined],
    ['behind the parser of Express', express.urlencoded({ extended: true })],
    ['behind a parser of its own', plain],
  ] as const)
    test(name, async () => {
      const { url, problems } = await startRouter(parser);
      const authorize = {
        response_type: 'code',
        client_id: 'desk',
        redirect_uri: CALLBACK,
        code_challenge: 'c'.repeat(43),
        code_challenge_method: 'S256',
        state: 's',
        scope: 'read',
        resource: 'https://r.example.com',
      };
      for (const query of variants(authorize)) {
        expectCalm(await send(`${url}/authorize?${query}`, {}), query.slice(-80));
        expectCalm(await send(`${url}/authorize`, { method: 'POST', body: query, headers: FORM }), query.slice(-80));
      }
      const forms: [string, Fields][] = [
        [
          'token',
          {
            grant_type: 'authorization_code',
            client_id: 'desk',
            code: 'c',
            code_verifier: 'v',
            redirect_uri: CALLBACK,
          },
        ],
        ['token', { grant_type: 'refresh_token', client_id: 'desk', refresh_token: 'r', scope: 'read' }],
        ['revoke', { client_id: 'desk', token: 't', token_type_hint: 'x' }],
      ];
      for (const [path, fields] of forms)
        for (const body of variants(fields))
          expectCalm(
            await send(`${url}/${path}`, { method: 'POST', body, headers: FORM }),
            `${path} ${body.slice(-80)}`,
          );
      const headers = { 'content-type': 'application/json' };
      for (const body of [
        '',
        '{',
        'null',
        '[]',
        '"x"',
        '{"redirect_uris":{"__proto__":1}}',
        '['.repeat(30_000),
        `"${LONG}"`,
      ])
        expectCalm(await send(`${url}/register`, { method: 'POST', body, headers }), body.slice(0, 80));
      expect(problems).toEqual([]);
    });
});

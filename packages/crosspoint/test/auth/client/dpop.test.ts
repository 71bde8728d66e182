import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, jwtVerify, type JWTPayload } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { DpopSession, MemoryCredentials } from '../../../src/auth/index.ts';
import { Client, StreamableHTTPClientTransport } from '../../../src/client/index.ts';
import { createMcpHandler, McpServer } from '../../../src/server/index.ts';
import { sendJson, serve, type Served } from '../serving.ts';
import { createWorld, login, type Logged, type World } from './world.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

interface Proof {
  readonly claims: JWTPayload & { htm?: string; htu?: string; ath?: string; nonce?: string };
  readonly thumbprint: string;
}

async function readProof(text: string | undefined): Promise<Proof> {
  const header = decodeProtectedHeader(text ?? '');
  const { payload } = await jwtVerify(text ?? '', EmbeddedJWK, { typ: 'dpop+jwt' });
  expect(Object.keys(header.jwk ?? {})).not.toContain('d');
  return { claims: payload as Proof['claims'], thumbprint: await calculateJwkThumbprint(header.jwk!) };
}

/** A server that wants proofs, with or without a nonce, in front of nothing but a list of tools. */
async function guarded(
  world: () => World,
  nonce: string | undefined,
): Promise<Served & { proofs: Proof[]; jtis: Set<unknown> }> {
  const proofs: Proof[] = [];
  const jtis = new Set<unknown>();
  const handler = createMcpHandler(new McpServer({ name: 'bound', version: '1.0.0' }));
  const served = await serve(async (request, response, body) => {
    if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true)
      return sendJson(response, { resource: `${served.url}/mcp`, authorization_servers: [world().issuer] });
    const refuse = (error: string): void =>
      sendJson(response, {}, 401, {
        'WWW-Authenticate': `DPoP error="${error}", algs="ES256", resource_metadata="${served.url}/.well-known/oauth-protected-resource/mcp"`,
        ...(nonce !== undefined && { 'DPoP-Nonce': nonce }),
      });
    const [scheme, token = ''] = request.headers.authorization?.split(' ') ?? [];
    if (scheme !== 'DPoP' || !world().tokens.has(token)) return refuse('invalid_token');
    const proof = await readProof(request.headers['dpop'] as string);
    if (nonce !== undefined && proof.claims.nonce !== nonce) return refuse('use_dpop_nonce');
    expect(proof.claims).toMatchObject({
      htm: request.method,
      htu: `${served.url}/mcp`,
      ath: createHash('sha256').update(token).digest('base64url'),
    });
    proofs.push(proof);
    jtis.add(proof.claims.jti);
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const answer = await handler.fetch(
      new Request(`${served.url}/mcp`, {
        method: request.method ?? '',
        headers,
        ...(request.method === 'POST' && { body }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  open.push(served, { close: () => handler.close({ grace: 0 }) });
  return { ...served, proofs, jtis };
}

async function bound(
  nonces: boolean,
): Promise<{ world: World; server: Awaited<ReturnType<typeof guarded>>; proofs: Promise<Proof>[] }> {
  const proofs: Promise<Proof>[] = [];
  const made: { world?: World } = {};
  const server = await guarded(() => made.world!, nonces ? 'nonce-of-the-server' : undefined);
  const world = await createWorld({
    metadata: (usual) => ({ ...usual, dpop_signing_alg_values_supported: ['ES256'] }),
    token: (request: Logged, usual) => {
      const proof = readProof(request.dpop);
      proofs.push(proof);
      const { nonce } = JSON.parse(Buffer.from(request.dpop?.split('.')[1] ?? '', 'base64url').toString()) as {
        nonce?: string;
      };
      if (nonces && nonce !== 'nonce-of-the-as')
        return { status: 400, body: { error: 'use_dpop_nonce' }, headers: { 'DPoP-Nonce': 'nonce-of-the-as' } };
      return { body: { ...(usual().body as object), token_type: 'DPoP' } };
    },
  });
  made.world = world;
  open.push(world);
  return { world, server, proofs };
}

describe('tokens that are bound to a key', () => {
  it.each([false, true])(
    'are asked for with a proof and used with a new one each time (nonces: %s)',
    async (nonces) => {
      const { world, server, proofs } = await bound(nonces);
      const credentials = new MemoryCredentials();
      const target = { ...world, mcp: `${server.url}/mcp` } as World;
      const once = async (): Promise<void> => {
        const client = new Client({ name: 'test', version: '1.0.0' });
        await client.connect(
          new StreamableHTTPClientTransport(target.mcp, {
            authProvider: login(target, { credentials, serverUrl: target.mcp }),
          }),
        );
        await client.ping();
        await client.close();
      };
      await once();
      const atToken = await Promise.all(proofs);
      expect(atToken.map(({ claims }) => claims.htu)).toEqual(Array(nonces ? 2 : 1).fill(`${world.as}/token`));
      expect(atToken.at(-1)?.claims.nonce).toBe(nonces ? 'nonce-of-the-as' : undefined);
      // A program that is started again has the same key.
      await once();
      expect(proofs).toHaveLength(nonces ? 2 : 1);
      expect(new Set(server.proofs.map(({ thumbprint }) => thumbprint))).toEqual(new Set([atToken[0]?.thumbprint]));
      expect(server.jtis.size).toBe(server.proofs.length);
      expect(server.proofs.length).toBeGreaterThan(3);
    },
  );

  it('have proofs without query and fragment in the address', async () => {
    const session = await DpopSession.create();
    const { claims } = await readProof(
      await session.buildProof({ method: 'post', url: 'https://mcp.example/a?b=c#d' }),
    );
    expect(claims).toMatchObject({ htm: 'POST', htu: 'https://mcp.example/a' });
    expect(session.exportKey()).toBeUndefined();
  });
});

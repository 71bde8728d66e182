// An authorization server of a few lines: it refreshes tokens and gives them to programs it knows.
import { createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { jwtVerify, type CryptoKey } from 'jose';

export interface Issuer {
  readonly url: string;
  /** What the token endpoint was asked for, in order. */
  readonly grants: Record<string, unknown>[];
  close(): void;
}

/** @param protect adds what the tokens are for */
export async function issue(protect: (app: express.Express, url: URL) => void, publicKey?: CryptoKey): Promise<Issuer> {
  const app = express();
  const grants: Record<string, unknown>[] = [];
  const listener = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  app.get('/.well-known/oauth-authorization-server', (_req, res) => {
    res.json({
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      token_endpoint_auth_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['read'],
    });
  });
  app.post('/token', express.urlencoded({ extended: false }), async (req, res) => {
    const body = req.body as Record<string, string>;
    const how = await authenticated(req, body, publicKey);
    grants.push({ grant: body['grant_type'], how, scope: body['scope'], resource: body['resource'] });
    if (how === 'not') res.status(401).json({ error: 'invalid_client' });
    else
      res.json({
        access_token: `token-${grants.length}`,
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: 'again',
      });
  });
  protect(app, new URL(url));
  return {
    url,
    grants,
    close() {
      listener.close();
      listener.closeAllConnections();
    },
  };
}

/** How the client showed who it is. */
async function authenticated(
  req: express.Request,
  body: Record<string, string>,
  publicKey?: CryptoKey,
): Promise<string> {
  const secret = createHmac('sha256', 'fixture').update('client').digest('hex').slice(0, 16);
  const assertion = body['client_assertion'];
  if (assertion !== undefined && publicKey !== undefined) {
    const { payload } = await jwtVerify(assertion, publicKey);
    return payload.iss === payload.sub ? `private_key_jwt as ${payload.sub}` : 'not';
  }
  const basic = /^Basic (.+)$/.exec(req.headers.authorization ?? '')?.[1];
  if (basic !== undefined) return Buffer.from(basic, 'base64').toString() === `robot:${secret}` ? 'basic' : 'not';
  if (body['client_secret'] !== undefined) return body['client_secret'] === secret ? 'post' : 'not';
  return body['client_id'] === 'public' ? 'none' : 'not';
}

export const robotSecret: string = createHmac('sha256', 'fixture').update('client').digest('hex').slice(0, 16);

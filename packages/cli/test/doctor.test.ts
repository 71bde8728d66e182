import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crosspoint, DEMO } from './crosspoint.ts';

interface Finding {
  readonly step: string;
  readonly status: string;
  readonly says: string;
  readonly remedy?: string;
}

const broken = (fault: string): string[] => [
  '--',
  process.execPath,
  fileURLToPath(new URL('programs/broken-server.mjs', import.meta.url)),
  fault,
];

/** The findings of `doctor` that are not good, and its exit code. */
async function faults(
  words: readonly string[],
  run = crosspoint().run,
): Promise<{ code: number | null; found: Finding[] }> {
  const { code, json } = await run(['doctor', ...words]);
  const findings = json().findings as Finding[];
  return { code, found: findings.filter(({ status }) => status === 'bad' || status === 'warning') };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const web = async (answer: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listening(createHttp(answer))}`;

function expectBad(
  { code, found }: { code: number | null; found: Finding[] },
  step: string,
  says: RegExp,
  remedy: RegExp,
): void {
  expect(code).toBe(7);
  const finding = found.find((one) => one.step === step && one.status === 'bad');
  expect(finding?.says).toMatch(says);
  expect(finding?.remedy).toMatch(remedy);
}

describe('crosspoint doctor, commands', () => {
  it('finds nothing bad in a server that works', async () => {
    const { code, found } = await faults(DEMO);
    expect({ code, found }).toEqual({ code: 0, found: [] });
  });

  it('names a command that does not exist, and a script that does not', async () => {
    expectBad(await faults(['--', 'no-such-program']), 'command', /not on the PATH/, /Install it/);
    expectBad(
      await faults(['--', 'node', 'missing.mjs']),
      'command',
      /script .*missing\.mjs.* does not exist/,
      /Build the server/,
    );
  });

  it('shows the last words of a server that exits at once', async () => {
    expectBad(
      await faults(broken('exits')),
      'family',
      /exited with code 3[\s\S]*API_KEY is not set/,
      /Run the command by itself/,
    );
  });

  it('shows what a server writes to stdout beside its messages', async () => {
    expectBad(
      await faults(broken('garbage')),
      'family',
      /stdout.*Server is starting on port 3000/,
      /write its log to stderr/,
    );
  });

  it('names a revision that is not spoken', async () => {
    expectBad(await faults(broken('future')), 'family', /2199-01-01/, /update the server/);
    expectBad(
      await faults(['--revision', '2026-07-28', ...broken('none')]),
      'family',
      /2026-07-28/,
      /Leave out --family and --revision/,
    );
  });

  it('names a schema that no API of a model takes', async () => {
    expectBad(await faults(broken('schema')), 'schemas', /pick.*oneOf/, /one object/);
  });

  it('names a list that is declared and not answered', async () => {
    expectBad(await faults(broken('unanswered')), 'capabilities', /tools \(/, /answer these lists/);
  });

  it('tells that a server is slow, with its time', async () => {
    const { code, found } = await faults(broken('slow'));
    expect(code).toBe(0);
    expect(found).toMatchObject([
      { step: 'speed', status: 'warning', says: expect.stringMatching(/Connected in [3-9]\d\d\d ms/) },
    ]);
  });
});

describe('crosspoint doctor, addresses', () => {
  it('names a closed port and a name that does not exist', async () => {
    const server = createHttp();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expectBad(await faults([`http://127.0.0.1:${port}/mcp`]), 'tcp', /Nothing listens/, /Start the server/);
    expectBad(await faults(['http://no-such-name.invalid/mcp']), 'dns', /no-such-name\.invalid/, /address|name server/);
  });

  it('names a certificate that nobody vouches for', async () => {
    const pem = (what: string): Buffer =>
      readFileSync(new URL(`../../crosspoint/test/fixtures/auth/good.example.${what}.pem`, import.meta.url));
    const port = await listening(createHttps({ key: pem('key'), cert: pem('cert') }));
    expectBad(
      await faults([`https://127.0.0.1:${port}/mcp`]),
      'tls',
      /signed its certificate itself/,
      /NODE_EXTRA_CA_CERTS/,
    );
  });

  it('names a wrong path, and where there is something', async () => {
    const address = await web((request, response) => {
      if (request.url === '/mcp') response.writeHead(400, { 'Content-Type': 'application/json' }).end('{}');
      else response.writeHead(404).end();
    });
    expectBad(
      await faults([`${address}/mpc`]),
      'http',
      /404.*nothing at this path/,
      new RegExp(`something at ${address}/mcp`),
    );
  });

  it('names a web page', async () => {
    const address = await web(
      (_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Hello</h1>'),
    );
    expectBad(await faults([`${address}/`]), 'http', /web page/, /ends in \/mcp/);
  });

  it('names an authorization server that calls itself otherwise', async () => {
    const address: string = await web((request, response) => {
      const json = (value: object): void =>
        void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
      if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true)
        json({ resource: `${address}/mcp`, authorization_servers: [address] });
      else if (request.url?.startsWith('/.well-known/') === true)
        json({
          issuer: 'https://other.example',
          authorization_endpoint: `${address}/a`,
          token_endpoint: `${address}/t`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        });
      else response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
    });
    expectBad(await faults([`${address}/mcp`]), 'well-known', /other\.example/, /RFC 8414/);
  });

  it('names a login that is missing, and a token that has expired', async () => {
    const address: string = await web((request, response) => {
      const json = (value: object): void =>
        void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
      if (request.url?.startsWith('/.well-known/oauth-protected-resource') === true)
        json({ resource: `${address}/mcp`, authorization_servers: [address] });
      else if (request.url?.startsWith('/.well-known/') === true)
        json({
          issuer: address,
          authorization_endpoint: `${address}/a`,
          token_endpoint: `${address}/t`,
          registration_endpoint: `${address}/r`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        });
      else response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end();
    });
    const { home, run } = crosspoint();
    expectBad(await faults([`${address}/mcp`], run), 'login', /Nobody has logged in/, /auth login/);
    const account = '127-0-0-1';
    const resource = `${address}/mcp`;
    const entries = {
      [JSON.stringify([resource, account])]: address,
      [JSON.stringify([address, resource, account])]: {
        tokens: { access_token: 'old', token_type: 'Bearer', issuer: address, expires_at: 1000 },
      },
    };
    writeFileSync(join(home, 'credentials.json'), JSON.stringify({ version: 1, entries }), { mode: 0o600 });
    expectBad(await faults([resource], run), 'login', /has expired/, /logs in again/);
  });
});

it('prints each finding with its remedy for people', async () => {
  const { run } = crosspoint();
  const { code, stdout } = await run(['doctor', '--text', '--', 'no-such-program']);
  expect(code).toBe(7);
  expect(stdout).toMatch(/bad {2}command: .*not on the PATH.*\n\s+remedy: Install it/);
});

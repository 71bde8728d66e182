import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { protocolRevisions } from 'crosspoint';
import { Client } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { createMcpHandler } from 'crosspoint/server';
import { InMemoryTransport, Recorder } from 'crosspoint/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { proves } from '../../packages/crosspoint/test/requirements/proves.ts';
import { until } from '../../packages/crosspoint/test/until.ts';
import { createAskingClient } from './asking-client.ts';
import { createAskingServer } from './asking-server.ts';
import { Calendar } from './calendar.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const [stateless, newest, , ...older] = protocolRevisions.map(({ id }) => id);
const withUrls = [stateless, newest];

beforeAll(() => {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b'], {
    cwd: root,
    stdio: 'inherit',
  });
  expect(status).toBe(0);
}, 120_000);

interface Connected {
  client: Client;
  log: string[];
  done: string[] | undefined;
}

async function connect(way: string, revision: string): Promise<Connected & { end(): Promise<void> }> {
  const log: string[] = [];
  const client = createAskingClient(revision, log);
  if (way === 'stdio') {
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(root, 'examples/dist/asking/stdio.js')],
        stderr: 'ignore',
      }),
    );
    return { client, log, done: undefined, end: () => client.close() };
  }
  const done: string[] = [];
  const calendar = new Calendar();
  await calendar.start();
  if (way === 'http') return overHttp(client, { log, done, calendar }, revision);
  const [near, far] = InMemoryTransport.createLinkedPair({ text: true });
  await createAskingServer({ calendar, ondone: (what) => done.push(what) }).connect(far);
  await client.connect(near);
  const end = async (): Promise<void> => {
    await client.close();
    await calendar.stop();
  };
  return { client, log, done, end };
}

/** The oldest revision has two endpoints: a stream, and an address to post to. */
async function overHttp(
  client: Client,
  { log, done, calendar }: { log: string[]; done: string[]; calendar: Calendar },
  revision: string,
): ReturnType<typeof connect> {
  const handler = createMcpHandler(createAskingServer({ calendar, ondone: (what) => done.push(what) }), {
    path: '/mcp',
  });
  const server = createServer((request, response) => void handler.node(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const oldest = revision === protocolRevisions.at(-1)?.id;
  await client.connect(oldest ? { url: `${origin}/sse`, transport: 'sse' } : `${origin}/mcp`);
  const end = async (): Promise<void> => {
    await client.close();
    await handler.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await calendar.stop();
  };
  return { client, log, done, end };
}

describe.each(['memory', 'stdio', 'http'])('over %s', (way) => {
  describe.each(protocolRevisions.map(({ id }) => id))('with a client of %s', (revision) => {
    let connected: Awaited<ReturnType<typeof connect>>;
    beforeAll(async () => {
      connected = await connect(way, revision);
    });
    afterAll(() => connected.end());
    const call = async (name: string, args: object): Promise<string> => {
      const result = await connected.client.callTool({ name, arguments: { ...args } });
      return (result.content[0] as { text: string }).text;
    };

    test('three questions, one booking', async () => {
      const booking = call('book', { to: 'Rome' });
      if (older.includes(revision))
        return expect(await booking).toContain('The client has not declared elicitation, so it cannot be asked.');
      expect(await booking).toBe('Booked: Rome, 2027-01-31, aisle.');
      expect(connected.log).toEqual([
        'When do you want to go to Rome?',
        'Where do you want to sit on 2027-01-31?',
        'Pay 120 EUR for a aisle seat?',
      ]);
      if (connected.done) expect(connected.done).toEqual(['price', 'pay true']);
    });

    test('a model that uses tools', async () => {
      const work = call('work_out', { question: 'What is (2 + 3) * 4?' });
      if (!withUrls.includes(revision))
        return expect(await work).toContain('The client has not declared sampling with tools, so it cannot be asked.');
      expect(await work).toBe('It is 20.');
    });

    test('a page for what must not pass through the client', async () => {
      connected.log.length = 0;
      const slots = call('free_slots', {});
      if (!withUrls.includes(revision))
        return expect(await slots).toContain('The client has not declared elicitation by URL, so it cannot be asked.');
      expect(await slots).toBe('Free: Monday 10:00, Tuesday 15:00.');
      expect(connected.log).toEqual(['Please connect your calendar.', 'opens 127.0.0.1 (loopback)']);
      expect(await call('free_slots', {})).toBe('Free: Monday 10:00, Tuesday 15:00.');
      expect(connected.log).toHaveLength(2);
    });
  });
});

async function signedIn(
  calendar: Calendar,
  sub: string,
  revision: string,
): Promise<{ client: Client; recorder: Recorder; pages: string[] }> {
  const pages: string[] = [];
  const [near, far] = InMemoryTransport.createLinkedPair({ text: true });
  const send = near.send.bind(near);
  near.send = (message) =>
    send(message, { authInfo: { token: `client-token-of-${sub}`, clientId: 'app', scopes: [], extra: { sub } } });
  await createAskingServer({ calendar }).connect(far);
  const client = new Client(
    { name: 'c', version: '1' },
    { revisions: [revision], capabilities: { elicitation: { url: {} } } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    if (params.mode === 'url') pages.push(params.url);
    return { action: 'accept' };
  });
  const recorder = new Recorder(near);
  await client.connect(recorder);
  return { client, recorder, pages };
}

describe.each(withUrls.map(String))('the page of the calendar (%s)', (revision) => {
  proves(
    'L-ELICITATION-044, L-ELICITATION-045, L-ELICITATION-047, L-ELICITATION-052, M-ELI-040, L-ELICITATION-064, L-ELICITATION-065',
  ).test('is only for the user it was made for, however the address is changed', async () => {
    const calendar = new Calendar();
    await calendar.start();
    const ann = await signedIn(calendar, 'ann', revision);
    const calling = ann.client.callTool({ name: 'free_slots' });
    await until(() => ann.pages.length > 0);
    const [url = ''] = ann.pages;
    const visit = (address: string, user?: string): Promise<Response> =>
      fetch(address, { headers: user === undefined ? {} : { 'x-signed-in-as': user } });
    for (const user of ['app/bob', 'other/ann', undefined]) expect((await visit(url, user)).status).toBe(403);
    for (const changed of [
      url.slice(0, -1),
      `${url}A`,
      url.replace('request=', 'request=c1.'),
      url.replace(/request=.*/, 'request=ann'),
    ])
      expect((await visit(changed, 'app/ann')).status).toBe(403);
    expect((await visit(url, 'app/ann')).status).toBe(200);
    expect((await calling).content).toEqual([{ type: 'text', text: 'Free: Monday 10:00, Tuesday 15:00.' }]);
    // The connected calendar belongs to her: to all her connections, and to no other user's.
    const again = await signedIn(calendar, 'ann', revision);
    expect((await again.client.callTool({ name: 'free_slots' })).content).toEqual([
      { type: 'text', text: 'Free: Monday 10:00, Tuesday 15:00.' },
    ]);
    expect(again.pages).toEqual([]);
    const bob = await signedIn(calendar, 'bob', revision);
    const asking = bob.client.callTool({ name: 'free_slots' });
    await until(() => bob.pages.length > 0);
    expect((await visit(bob.pages[0] ?? '', 'app/bob')).status).toBe(200);
    await asking;
    expect(calendar.service.seenTokens.slice(-1)).toEqual(['calendar-token-of-app/bob']);
    for (const { client } of [ann, again, bob]) await client.close();
    await calendar.stop();
  });

  proves('M-ELI-021, M-ELI-022, L-ELICITATION-049, L-ELICITATION-050, L-ELICITATION-051, L-ELICITATION-053').test(
    'keeps what it got from the client, and what the client has from the service',
    async () => {
      const calendar = new Calendar();
      await calendar.start();
      const ann = await signedIn(calendar, 'ann', revision);
      const calling = ann.client.callTool({ name: 'free_slots' });
      await until(() => ann.pages.length > 0);
      await fetch(ann.pages[0] ?? '', { headers: { 'x-signed-in-as': 'app/ann' } });
      await calling;
      // The service saw its own token and nothing of the client's; nothing that passed the client holds the service's token.
      expect(calendar.service.seenTokens).toEqual(['calendar-token-of-app/ann']);
      expect(ann.recorder.text).toContain('free_slots');
      expect(ann.recorder.text).not.toContain('calendar-token');
      // Nor does the address say anything of the user.
      expect(decodeURIComponent(ann.pages.join())).not.toMatch(/app\/ann|token-of|"sub"/);
      await ann.client.close();
      await calendar.stop();
    },
  );
});

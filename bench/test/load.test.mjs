import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { callLoop } from '../measure/call-loop.mjs';
import { ID_MARK, start } from '../measure/http-load.mjs';
import { Ring } from '../measure/ring.mjs';

const servers = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Answers every POST with what the function makes of the id. */
async function serve(answer) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => answer(JSON.parse(body).id, response));
  });
  servers.push(server);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address().port;
}

async function load(port, connections = 3) {
  const { commands } = start();
  const request = { path: '/', headers: { 'content-type': 'application/json' }, body: `{"id":${ID_MARK}}` };
  await commands.open({ port, requests: Array.from({ length: connections }, () => request), expect: ['"sum":5'] });
  const result = await commands.run(50);
  commands.close();
  return result;
}

const right = (id) => `{"id":${id},"result":{"sum":5}}`;

describe('the load of HTTP requests', () => {
  it('counts right answers of a known length', async () => {
    let seen = 0;
    const port = await serve((id, response) => {
      seen += 1;
      const text = right(id);
      response.writeHead(200, { 'content-length': text.length }).end(text);
    });
    const { count, errors, p50, p99 } = await load(port);
    expect({ count, errors }).toEqual({ count: seen, errors: 0 });
    expect(p99).toBeGreaterThanOrEqual(p50);
  });

  it('counts right answers that come in pieces, short and long', async () => {
    const port = await serve((id, response) => {
      response.flushHeaders();
      response.write(`data: ${right(id)}\n\n`);
      response.write('x'.repeat(200_000), () => response.end());
    });
    const { count, errors } = await load(port);
    expect(count).toBeGreaterThanOrEqual(3);
    expect(errors).toBe(0);
  });

  it('counts a wrong sum, another id and another status as errors', async () => {
    const wrongs = [
      (id, response) => response.end(`{"id":${id},"result":{"sum":6}}`),
      (id, response) => response.end(right(id + 1)),
      (id, response) => response.writeHead(400).end(right(id)),
    ];
    for (const wrong of wrongs) {
      const { count, errors, firstError } = await load(await serve(wrong), 1);
      expect(errors).toBe(count);
      expect(firstError).toContain('HTTP/1.1');
    }
  });

  it('tells when the server hangs up', async () => {
    const port = await serve((_id, response) => response.destroy());
    const { errors, firstError } = await load(port);
    expect(errors).toBeGreaterThan(0);
    expect(firstError).toContain('closed a connection');
  });
});

describe('the loop of calls', () => {
  it('counts what was called and what was wrong', async () => {
    let calls = 0;
    const call = async () => ({ structuredContent: { sum: ++calls === 3 ? 6 : 5 } });
    const { count, errors, firstError } = await callLoop(call, { ms: 5, inFlight: 4 });
    expect(count).toBe(calls);
    expect(errors).toBe(1);
    expect(firstError).toContain('"sum":6');
  });
});

describe('the ring of calls that wait', () => {
  it('gives every entry once, and nothing for an id that was never used', () => {
    const ring = new Ring(100);
    for (let round = 0; round < 10_000; round += 1) {
      const [first, second] = [ring.add('first'), ring.add('second')];
      expect([ring.take(second), ring.take(first), ring.take(first)]).toEqual(['second', 'first', undefined]);
    }
    expect([ring.size, ring.take(99), ring.take(100), ring.take(20_100), ring.take(NaN)]).toEqual([
      0,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

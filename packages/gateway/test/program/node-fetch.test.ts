import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { nodeFetch as fetchOfNode } from '../../src/program/http/node-fetch.ts';

/** With the header by which requests of the protocol are known. */
const nodeFetch = (): ReturnType<typeof fetchOfNode> => {
  const fetch = fetchOfNode();
  return (url, init = {}) =>
    fetch(url, { ...init, headers: { accept: 'text/event-stream', ...(init.headers as Record<string, string>) } });
};

const servers: Server[] = [];

async function serve(listener: RequestListener): Promise<{ url: URL; connections: () => number }> {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => (connections += 1));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/mcp?of=test`), connections: () => connections };
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const readAll = async (body: ReadableStream<Uint8Array> | null): Promise<string> => {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  for (let text = ''; ;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
};

describe('fetch over kept connections', () => {
  it('sends method, path, headers and body, and reads the answer', async () => {
    const { url, connections } = await serve((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => {
        const { method, url: path, headers } = request;
        response.setHeader('X-Two', ['one', 'two']);
        response.end(JSON.stringify([method, path, headers['x-test'], headers['content-length'], text]));
      });
    });
    const fetch = nodeFetch();
    const given = [{ 'x-test': 'one' }, { 'x-test': 'one', 'x-more': 'two' }];
    for (const headers of [...given, ...given, ...given]) {
      const response = await fetch(url, { method: 'POST', headers, body: 'grüße' });
      expect([response.status, response.ok, response.headers.get('X-Two'), response.headers.get('x-none')]).toEqual([
        200,
        true,
        'one, two',
        null,
      ]);
      expect(JSON.parse(await response.text())).toEqual(['POST', '/mcp?of=test', 'one', '7', 'grüße']);
    }
    // A connection is used again in the next turn of the event loop, so another takes a request that follows at once.
    expect(connections()).toBeLessThan(3);
  });

  it('leaves other requests, such as those of a login, to the runtime', async () => {
    const { url } = await serve((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      request.on('end', () => response.end(`${request.headers['content-type']} ${text}`));
    });
    const response = await fetchOfNode()(url, { method: 'POST', body: new URLSearchParams({ grant: 'code' }) });
    expect(response).toBeInstanceOf(Response);
    expect(await response.text()).toBe('application/x-www-form-urlencoded;charset=UTF-8 grant=code');
  });

  it('reads characters that are cut in two, and leaves a mark of the byte order out', async () => {
    const bytes = Buffer.from('\uFEFFgrüße');
    const { url } = await serve((_request, response) => {
      response.write(bytes.subarray(0, 6));
      setTimeout(() => response.end(bytes.subarray(6)), 20);
    });
    const fetch = nodeFetch();
    expect(await (await fetch(url)).text()).toBe('grüße');
    expect(await readAll((await fetch(url)).body)).toBe('grüße');
  });

  it('reads a stream as it comes, and lets the server wait while nobody reads', async () => {
    let written = 0;
    const { url } = await serve((_request, response) => {
      const more = (): void => {
        written += 1;
        if (written > 1000) response.end();
        else if (response.write(Buffer.alloc(64 * 1024))) more();
        else response.once('drain', more);
      };
      more();
    });
    const { body } = await nodeFetch()(url);
    await delay(300);
    expect(written).toBeLessThan(500);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    let bytes = 0;
    for (let read = await reader.read(); !read.done; read = await reader.read()) bytes += read.value.byteLength;
    expect(bytes).toBe(1000 * 64 * 1024);
  });

  it('closes the connection of a body that is given up', async () => {
    let isClosed = false;
    const { url } = await serve((_request, response) => {
      response.write('data: 1\n\n');
      response.on('close', () => (isClosed = true));
    });
    const { body } = await nodeFetch()(url);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).done).toBe(false);
    await reader.cancel();
    expect((await reader.read()).done).toBe(true);
    await expect.poll(() => isClosed).toBe(true);
  });

  it('gives a Response for everything but success, and follows no redirect', async () => {
    const { url } = await serve((request, response) => {
      const status = Number(request.headers['x-status']);
      response.writeHead(status, { location: '/elsewhere', 'www-authenticate': 'Bearer' });
      response.end(status === 204 ? undefined : '{"error":"no"}');
    });
    const fetch = nodeFetch();
    for (const status of [204, 307, 401, 404, 503]) {
      const response = await fetch(url, { headers: { 'x-status': String(status) } });
      expect(response).toBeInstanceOf(Response);
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([status, 'Bearer']);
      if (status !== 204) expect(await response.json()).toEqual({ error: 'no' });
    }
  });

  it.each([
    ['of the runtime', () => new AbortController()],
    ['of its own', () => fetchOfNode().newController?.() as AbortController],
  ])('ends with a signal %s: before, while it waits, and while the body comes', async (_whose, newController) => {
    let closed = 0;
    const { url } = await serve((request, response) => {
      response.on('close', () => (closed += 1));
      if (request.headers['x-begins'] !== undefined) response.write('data: 1\n\n');
    });
    const fetch = nodeFetch();
    const before = newController();
    before.abort(new Error('never'));
    await expect(fetch(url, { signal: before.signal })).rejects.toThrow('never');
    const waiting = newController();
    const asked = fetch(url, { signal: waiting.signal });
    setTimeout(() => waiting.abort(new Error('enough')), 50);
    await expect(asked).rejects.toThrow('enough');
    const reading = newController();
    const { body } = await fetch(url, { headers: { 'x-begins': 'yes' }, signal: reading.signal });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    const next = reader.read();
    reading.abort();
    await expect(next).rejects.toThrow('aborted');
    await expect.poll(() => closed).toBe(2);
  });

  it('tells of a body that has arrived with its head, within a limit and once', async () => {
    const { url } = await serve((_request, response) => void response.end('grüße'));
    const { body } = await nodeFetch()(url);
    const arriving = body as object as { arrived(maxBytes: number): string | undefined };
    await expect.poll(() => arriving.arrived(7)).toBe('grüße');
    expect(arriving.arrived(7)).toBe('');
    const long = (await nodeFetch()(url)).body as object as typeof arriving;
    await delay(100);
    expect(long.arrived(6)).toBeUndefined();
    expect(await readAll(long as object as ReadableStream<Uint8Array>)).toBe('grüße');
  });

  it('rejects where nobody listens, and where the connection breaks in the body', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    });
    const fetch = nodeFetch();
    await expect((await fetch(url)).text()).rejects.toThrow();
    await expect(readAll((await fetch(url)).body)).rejects.toThrow();
    await expect(fetch('http://127.0.0.1:1/mcp')).rejects.toThrow('ECONNREFUSED');
  });
});

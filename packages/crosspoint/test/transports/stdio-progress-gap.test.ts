import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import type { JSONRPCMessage } from '../../src/jsonrpc/message.ts';
import { StdioServerTransport } from '../../src/transports/stdio/server.ts';
import { until } from '../until.ts';

const transports: StdioServerTransport[] = [];
afterEach(async () => {
  for (const transport of transports.splice(0)) await transport.close();
});

/** A transport whose `chunks` are its writes. */
async function serve(): Promise<{ transport: StdioServerTransport; stdin: PassThrough; chunks: string[] }> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const chunks: string[] = [];
  stdout.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const transport = new StdioServerTransport(stdin, stdout);
  transports.push(transport);
  await transport.start();
  return { transport, stdin, chunks };
}

const progress = (progressToken: number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: 1 },
});
const answer = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });
const related = (relatedRequestId: number): { relatedRequestId: number } => ({ relatedRequestId });
const words = (chunk: string): string[] =>
  chunk
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id?: number; params?: { progressToken: number } })
    .map(({ id, params }) => (id === undefined ? `progress ${params?.progressToken}` : `answer ${id}`));

describe('an answer right after progress of its call', () => {
  test('is a write of its own, and answers of other calls do not wait for it', async () => {
    const { transport, chunks } = await serve();
    for (const id of [1, 2]) void transport.send(progress(id), related(id));
    for (const id of [1, 2, 3]) void transport.send(answer(id), related(id));
    await until(() => chunks.join('').includes('"id":2'));
    expect(words(chunks[0] ?? '')).toEqual(['progress 1', 'progress 2', 'answer 3']);
    expect(chunks.slice(1).flatMap(words)).toEqual(['answer 1', 'answer 2']);
  });

  test('that comes late enough by itself does not wait', async () => {
    const { transport, chunks } = await serve();
    void transport.send(progress(1), related(1));
    await new Promise((resolve) => setTimeout(resolve, 10));
    void transport.send(answer(1), related(1));
    await new Promise(setImmediate);
    expect(chunks.map(words)).toEqual([['progress 1'], ['answer 1']]);
  });

  test('is sent when the transport closes meanwhile', async () => {
    const { transport, chunks } = await serve();
    void transport.send(progress(1), related(1));
    void transport.send(answer(1), related(1));
    await transport.close();
    expect(chunks.flatMap(words)).toEqual(['progress 1', 'answer 1']);
  });

  test('is sent when the input ends meanwhile, before the end', async () => {
    const { transport, stdin, chunks } = await serve();
    let hasClosed = false;
    transport.onclose = () => (hasClosed = true);
    transport.onmessage = () => {
      void transport.send(progress(1), related(1));
      void transport.send(answer(1), related(1));
    };
    stdin.end('{"jsonrpc":"2.0","id":1,"method":"x"}\n');
    await until(() => hasClosed);
    expect(chunks.flatMap(words)).toEqual(['progress 1', 'answer 1']);
  });

  test('that cannot be written as JSON throws at once', async () => {
    const { transport } = await serve();
    void transport.send(progress(1), related(1));
    expect(() => transport.send({ ...answer(1), result: { big: 1n } } as JSONRPCMessage, related(1))).toThrow(
      TypeError,
    );
  });
});

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { McpServer, StdioServerTransport } from '../../src/server/stdio.ts';
import { until } from '../until.ts';

test('what the program set on a transport hears of input without a message before the server does', async () => {
  const input = new PassThrough();
  const transport = new StdioServerTransport(input, new PassThrough(), { maxMessageBytes: 50 });
  const told: string[] = [];
  transport.onerror = (error) => {
    told.push(error.message);
    throw new Error('thrown by the listener');
  };
  const server = new McpServer({ name: 'lines', version: '1' });
  server.server.onerror = (error) => told.push(error.message);
  await server.connect(transport);
  input.write(`not JSON\n${'x'.repeat(60)}\n`);
  await until(() => told.length === 4);
  expect(told).toEqual([
    expect.stringContaining('Not a message'),
    expect.stringContaining('Not a message'),
    expect.stringContaining('50 bytes'),
    expect.stringContaining('50 bytes'),
  ]);
  await server.close();
});

import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { logCalls, type CallRecord } from '../../src/middleware/index.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { connectLinked } from '../../src/testing/index.ts';

const SECRET = 'hunter2-hunter2';

async function recorded(options: { params?: boolean; results?: boolean }): Promise<CallRecord[]> {
  const records: CallRecord[] = [];
  let now = 0;
  const log = logCalls({
    log: (record) => {
      records.push(record);
      throw new Error('The disk is full.');
    },
    only: ({ method }) => method.startsWith('tools/') || method === 'no/such',
    now: () => (now += 2),
    ...options,
  });
  const server = new McpServer({ name: 'logged', version: '1.0.0' });
  server.registerTool('login', { inputSchema: { user: z.string(), password: z.string() } }, ({ user }) => text(user));
  server.registerTool('fails', {}, () => {
    throw new Error(`It is ${SECRET}.`);
  });
  server.use(log);
  const { client, close } = await connectLinked(server, { prepare: (made) => made.use(log) });
  await client.callTool({ name: 'login', arguments: { user: 'ada', password: SECRET } });
  await client.callTool({ name: 'fails' });
  await expect(client.request({ method: 'no/such' })).rejects.toThrow();
  await close();
  return records;
}

describe('the log of calls', () => {
  it('writes one record for each operation, on both sides, and survives a log that fails', async () => {
    const records = await recorded({});
    expect(records.map(({ side, method, name, outcome, error }) => [side, method, name, outcome, error?.kind])).toEqual(
      [
        ['server', 'tools/call', 'login', 'complete', undefined],
        ['client', 'tools/call', 'login', 'complete', undefined],
        ['server', 'tools/call', 'fails', 'tool-error', undefined],
        ['client', 'tools/call', 'fails', 'tool-error', undefined],
        ['server', 'no/such', undefined, 'error', 'method-not-found'],
        ['client', 'no/such', undefined, 'error', 'method-not-found'],
      ],
    );
    for (const record of records) {
      expect(record.ms).toBeGreaterThan(0);
      expect(record.requestId).toEqual(expect.anything());
    }
  });

  it('holds no arguments and no results unless asked, and then masks secrets', async () => {
    expect(JSON.stringify(await recorded({}))).not.toMatch(/ada|hunter2/);
    const records = await recorded({ params: true, results: true });
    expect(JSON.stringify(records[0])).toContain('ada');
    expect(JSON.stringify(records[0])).toContain('[redacted]');
    expect(JSON.stringify(records[0])).not.toContain(SECRET);
  });
});

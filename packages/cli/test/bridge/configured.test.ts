import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { expect, it } from 'vitest';
import { program } from '../../../gateway/test/programs.ts';
import { crosspoint, PROGRAM as CROSSPOINT } from '../crosspoint.ts';

const CHILD = { command: process.execPath, args: [program('child.mjs')] };

/** The messages of a client that calls one tool, as lines. */
function session(tool: string): string {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  return [
    { id: 1, method: 'initialize', params },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: tool, arguments: {} } },
  ]
    .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    .join('');
}

it('a server of the configuration is bridged with its values, and what passes is recorded without them', async () => {
  const { home } = crosspoint();
  const server = { ...CHILD, env: { API_KEY: '${env:BRIDGED_KEY}' } };
  writeFileSync(join(home, 'crosspoint.json'), JSON.stringify({ servers: { child: server } }));
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CROSSPOINT, 'record', 'child', '--to', 'session.jsonl'],
    env: { CROSSPOINT_HOME: home, BRIDGED_KEY: 'sk-of-the-environment' },
    cwd: home,
    stderr: 'ignore',
  });
  await client.connect(transport);
  const { content } = await client.callTool({ name: 'env' });
  expect(JSON.stringify(content)).toContain('sk-of-the-environment');
  await client.close();
  const written = readFileSync(join(home, 'session.jsonl'), 'utf8');
  expect(written.trim().split('\n').length).toBeGreaterThan(5);
  expect(written).not.toContain('sk-of-the-environment');
});

it('a server of a repository is not bridged before it is trusted, nor one that the policy denies', async () => {
  const { home, run } = crosspoint();
  writeFileSync(join(home, '.mcp.json'), JSON.stringify({ mcpServers: { child: CHILD } }));
  const untrusted = await run(['bridge', 'child'], { input: session('pid') });
  expect({ code: untrusted.code, stdout: untrusted.stdout }).toEqual({ code: 2, stdout: '' });
  const rules = [{ effect: 'deny', action: 'start' }];
  writeFileSync(join(home, 'policy.json'), JSON.stringify({ rules }));
  const words = ['bridge', '--', CHILD.command, ...CHILD.args];
  const denied = await run(words, { input: session('pid') });
  expect({ code: denied.code, stdout: denied.stdout }).toEqual({ code: 2, stdout: '' });
  expect(denied.error().message).toContain('The policy denies the start');
});

it('--to is needed for a recording', async () => {
  const { run } = crosspoint();
  const { code, error } = await run(['record', '--', CHILD.command, ...CHILD.args]);
  expect(code).toBe(1);
  expect(error().hint).toContain('--to FILE');
});

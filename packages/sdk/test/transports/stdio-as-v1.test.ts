import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { sameWithBoth } from './both-libraries.ts';

const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });
const line = (message: object): string => `${JSON.stringify(message)}\n`;

describe('a transport over stdio', () => {
  it.each([
    ['100 bytes', { maxBufferSize: 100 }, 101],
    ['10 MiB, where nothing is said', undefined, 10 * 1024 * 1024 + 1],
  ])('tells of a line without end, and closes: %s', async (_, options, length) => {
    const saw = await sameWithBoth(async ({ Stdio }) => {
      const input = new PassThrough();
      const transport = new Stdio(input, new PassThrough(), options);
      const events: string[] = [];
      transport.onerror = (error) => events.push(error.message);
      transport.onclose = () => events.push('closed');
      transport.onmessage = () => events.push('a message');
      await transport.start();
      input.write(Buffer.alloc(length, 'a'));
      await until(() => events.includes('closed'));
      input.write(line(ping(1)));
      await new Promise((resolve) => setTimeout(resolve, 10));
      return events;
    });
    expect(saw).toEqual([expect.stringContaining('exceeded maximum size'), 'closed']);
  });

  it('counts the bytes after the last end of a line', async () => {
    await sameWithBoth(async ({ Stdio }) => {
      const input = new PassThrough();
      const transport = new Stdio(input, new PassThrough(), { maxBufferSize: 60 });
      const ids: unknown[] = [];
      transport.onmessage = (message) => ids.push('id' in message ? message.id : undefined);
      transport.onerror = (error) => ids.push(error.message);
      await transport.start();
      for (let id = 1; id <= 5; id += 1) {
        const text = line(ping(id));
        input.write(text.slice(0, 10));
        await new Promise((resolve) => setImmediate(resolve));
        input.write(text.slice(10));
      }
      await until(() => ids.length === 5);
      await transport.close();
      return ids;
    });
  });

  it('tells of a line that is no JSON, and goes on', async () => {
    const saw = await sameWithBoth(async ({ Stdio }) => {
      const input = new PassThrough();
      const transport = new Stdio(input, new PassThrough());
      const events: unknown[] = [];
      transport.onerror = (error) => events.push(error.name);
      transport.onmessage = (message) => events.push('id' in message ? message.id : undefined);
      await transport.start();
      input.write(`not JSON\n${line(ping(1))}`);
      await until(() => events.includes(1));
      await transport.close();
      return events;
    });
    expect(saw).toEqual(['SyntaxError', 1]);
  });

  it('tells the server of it and what the program has set, each once', async () => {
    const saw = await sameWithBoth(async ({ Stdio, McpServer }) => {
      const input = new PassThrough();
      const server = new McpServer({ name: 'lines', version: '1' });
      const told: string[] = [];
      server.server.onerror = () => told.push('server');
      const transport = new Stdio(input, new PassThrough());
      transport.onerror = () => told.push('program');
      await server.connect(transport);
      input.write('not JSON\n');
      await until(() => told.length > 1);
      await server.close();
      return told;
    });
    expect(saw).toEqual(['program', 'server']);
  });

  it('is started once', async () => {
    await sameWithBoth(async ({ Stdio }) => {
      const transport = new Stdio(new PassThrough(), new PassThrough());
      await transport.start();
      const message = await transport.start().catch((error: unknown) => (error as Error).message);
      await transport.close();
      return message;
    });
  });

  it.each(['@modelcontextprotocol/sdk', '@crosspoint/sdk'])(
    'messages that a program writes itself reach the client, as bridges do: %s',
    async (name) => {
      const program = `
        import { StdioServerTransport } from '${name}/server/stdio.js';
        const transport = new StdioServerTransport();
        transport.onmessage = ({ id }) => {
          process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { by: 'hand' } }) + '\\n');
          transport.close();
        };
        await transport.start();`;
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      child.stdin.end(line(ping(7)));
      expect(await text(child.stdout)).toBe(line({ jsonrpc: '2.0', id: 7, result: { by: 'hand' } }));
    },
  );

  it('everything else that a program writes goes to stderr', async () => {
    const program = `
      import { StdioServerTransport } from '@crosspoint/sdk/server/stdio.js';
      const transport = new StdioServerTransport();
      await transport.start();
      console.log('a word');
      process.stdout.write('{"jsonrpc":"2.0"');
      await transport.close();
      process.exit();`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const [written, told] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect([written, told]).toEqual(['', 'a word\n{"jsonrpc":"2.0"']);
  });
});

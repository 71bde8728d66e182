import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { McpServer, text, ToolError } from '../../src/server/index.ts';
import { connectLinked, some, type Linked } from '../../src/testing/index.ts';
import { mcpMatchers } from '../../src/testing/vitest.ts';

expect.extend(mcpMatchers);

function linked(): Promise<Linked> {
  const server = new McpServer({ name: 's', version: '1' });
  server.registerTool('fail', {}, () => {
    throw new ToolError('the oven is cold');
  });
  server.registerTool('sum', { outputSchema: z.object({ sum: z.number(), of: z.array(z.number()) }) }, () => ({
    structuredContent: { sum: 3, of: [1, 2] },
  }));
  server.registerTool('hello', {}, () => text('hello, world'));
  server.registerPrompt('ask', {}, () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'why?' } }] }));
  server.registerResource('doc', 'doc://a', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'words' }] }));
  return connectLinked(server);
}

/** What the matcher says when it fails. */
function complaint(run: () => void): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It did not fail.');
}

describe('the matchers', () => {
  it('know a tool that failed, and what it said', async () => {
    const { client, close } = await linked();
    const failed = await client.callTool({ name: 'fail' });
    expect(failed).toBeToolError();
    expect(failed).toBeToolError('cold');
    expect(failed).toBeToolError(/^the oven/);
    const hello = await client.callTool({ name: 'hello' });
    expect(hello).not.toBeToolError();
    expect(complaint(() => expect(failed).toBeToolError('hot'))).toMatch(
      /^Expected a tool error that says “hot”, got .*the oven is cold/,
    );
    expect(complaint(() => expect(hello).toBeToolError())).toMatch(/^Expected a tool error, got .*hello, world/);
    expect(complaint(() => expect(failed).not.toBeToolError())).toMatch(/^Expected anything but a tool error/);
    await close();
  });

  it('find text in what tools, prompts and resources give', async () => {
    const { client, close } = await linked();
    expect(await client.callTool({ name: 'hello' })).toHaveText('world');
    expect(await client.getPrompt({ name: 'ask' })).toHaveText(/why\?$/);
    expect(await client.readResource({ uri: 'doc://a' })).toHaveText('words');
    expect({}).not.toHaveText('x');
    expect(complaint(() => expect(text('a')).toHaveText('b'))).toContain('Expected a text with “b”, got {"content"');
    await close();
  });

  it('hold structured content against a pattern', async () => {
    const { client, close } = await linked();
    const result = await client.callTool({ name: 'sum' });
    expect(result).toHaveStructured({ sum: 3 });
    expect(result).toHaveStructured({ of: [1, some.number] });
    expect(result).not.toHaveStructured({ sum: 4 });
    expect(complaint(() => expect(result).toHaveStructured({ of: [1, 3] }))).toBe(
      'Expected structured content {"of":[1,3]}:\n  of.1: expected 3, got 2',
    );
    await close();
  });

  it('know errors of the protocol by their kind', async () => {
    const { client, close } = await linked();
    await expect(client.callTool({ name: 'nobody' })).rejects.toBeProtocolError('invalid-params');
    await expect(client.callTool({ name: 'nobody' })).rejects.toBeProtocolError('invalid-params', 'nobody');
    const error: unknown = await client.callTool({ name: 'nobody' }).catch((reason: unknown) => reason);
    expect(error).toBeProtocolError();
    expect(new Error('x')).not.toBeProtocolError();
    expect(complaint(() => expect(error).toBeProtocolError('internal'))).toMatch(
      /^Expected a ProtocolError of kind "internal", got ProtocolError of kind "invalid-params": /,
    );
    await close();
  });

  it('match transcripts', async () => {
    const { client, recorder, close } = await linked();
    await client.callTool({ name: 'hello' });
    expect(recorder).toMatchTranscript(['…', '→ tools/call', '← result']);
    expect(recorder).not.toMatchTranscript(['→ tools/call']);
    expect(complaint(() => expect(recorder).toMatchTranscript(['…', '← error']))).toContain(
      'The transcript does not match',
    );
    await close();
  });

  it('are typed', () => {
    const never = (): void => {
      // @ts-expect-error There is no such kind.
      expect(1).toBeProtocolError('bad-luck');
      // @ts-expect-error It needs a list.
      expect(1).toMatchTranscript('→ ping');
    };
    expect(never).toBeTypeOf('function');
  });
});

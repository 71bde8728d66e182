import { describe, expect, it } from 'vitest';
import { Client as OldClient } from '../../src/client/index.ts';
import { McpServer as OldServer } from '../../src/server/mcp.ts';
import { InMemoryTransport } from '../../src/inMemory.ts';
import {
  CallToolRequestSchema,
  ElicitRequestSchema,
  EmptyResultSchema,
  ErrorCode,
  McpError,
  UrlElicitationRequiredError,
  type ElicitRequestURLParams,
} from '../../src/types.ts';
import { toMcpError } from '../../src/internal/types/errors.ts';
import { Client } from 'crosspoint/client';
import { ProtocolError, TransportError } from 'crosspoint';
import { Server } from 'crosspoint/server';
import { until } from '../../../crosspoint/test/until.ts';

type Handler = (name: string, signal: AbortSignal) => object | Promise<object>;

/** A client of old and a server whose calls of tools come to what `handler` makes of them, in one process. */
async function linked<C extends { connect(transport: InMemoryTransport): Promise<void> }>(client: C, handler: Handler) {
  const server = new Server({ name: 'server', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) => handler(params.name, signal));
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  return { client, server };
}

const oldClient = () => new OldClient({ name: 'client', version: '1' });

async function rejectionOf(call: Promise<unknown>): Promise<McpError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(McpError);
  return error as McpError;
}

describe('McpError', () => {
  it('is made of a number, a message and data, as it always was', () => {
    const error = new McpError(ErrorCode.InvalidParams, 'no such thing', { a: 1 });
    expect(error).toMatchObject({ name: 'McpError', code: -32602, data: { a: 1 } });
    expect(error.message).toBe('MCP error -32602: no such thing');
    expect(error).toBeInstanceOf(Error);
    expect(error).toBeInstanceOf(ProtocolError);
    expect(new McpError(ErrorCode.InvalidParams, error.message).message).toBe(error.message);
    expect(ErrorCode[-32602]).toBe('InvalidParams');
  });

  it('is what every protocol error of this library is an instance of, and nothing else', () => {
    expect(new ProtocolError('invalid-params', 'x')).toBeInstanceOf(McpError);
    expect(new ProtocolError('invalid-params', 'x')).not.toBeInstanceOf(UrlElicitationRequiredError);
    for (const other of [new Error('x'), new TransportError('closed', 'x'), null, undefined, 'x', {}])
      expect(other).not.toBeInstanceOf(McpError);
  });

  it('becomes the class that belongs to its number', () => {
    const elicitations = [{ mode: 'url', message: 'm', elicitationId: 'e', url: 'https://example.com/' }] as const;
    const made = McpError.fromError(ErrorCode.UrlElicitationRequired, 'first this', { elicitations });
    expect(made).toBeInstanceOf(UrlElicitationRequiredError);
    expect((made as UrlElicitationRequiredError).elicitations).toEqual(elicitations);
    expect(McpError.fromError(ErrorCode.UrlElicitationRequired, 'nothing')).not.toBeInstanceOf(
      UrlElicitationRequiredError,
    );
  });

  it('thrown by a handler reaches the client with its number, message and data', async () => {
    const { client } = await linked(oldClient(), () => {
      throw new McpError(ErrorCode.InvalidParams, 'the name is wrong', { name: 'x' });
    });
    const error = await rejectionOf(client.callTool({ name: 'x' }));
    expect(error.code).toBe(ErrorCode.InvalidParams);
    expect(error.message).toBe('MCP error -32602: the name is wrong');
    expect(error.data).toEqual({ name: 'x' });
    await client.close();
  });

  it('keeps a number that the program chose', async () => {
    const { client } = await linked(oldClient(), () => {
      throw new McpError(4711, 'mine');
    });
    expect((await rejectionOf(client.callTool({ name: 'x' }))).code).toBe(4711);
    await client.close();
  });

  it('is also what the client of the main entry rejects with', async () => {
    const { client } = await linked(new Client({ name: 'client', version: '1' }), () => {
      throw new McpError(ErrorCode.InvalidRequest, 'not now');
    });
    expect((await rejectionOf(client.callTool({ name: 'x' }))).code).toBe(ErrorCode.InvalidRequest);
    await client.close();
  });

  it('says nothing of what went wrong inside', async () => {
    const { client } = await linked(oldClient(), () => {
      throw new Error('the password is swordfish');
    });
    const error = await rejectionOf(client.callTool({ name: 'x' }));
    expect(error.code).toBe(ErrorCode.InternalError);
    expect(JSON.stringify([error.message, error.data])).not.toContain('swordfish');
    await client.close();
  });

  it('tells of pages that the user must open first', async () => {
    const page: ElicitRequestURLParams = {
      mode: 'url',
      message: 'Log in.',
      elicitationId: 'e1',
      url: 'https://example.com/login',
    };
    const { client } = await linked(oldClient(), () => {
      throw new UrlElicitationRequiredError([page]);
    });
    const error = await rejectionOf(client.callTool({ name: 'x' }));
    expect(error).toBeInstanceOf(UrlElicitationRequiredError);
    expect(error.code).toBe(ErrorCode.UrlElicitationRequired);
    expect((error as UrlElicitationRequiredError).elicitations).toEqual([page]);
    await client.close();
  });

  it('becomes a question for a client without a handshake, which has no such error', async () => {
    const asked: unknown[] = [];
    const client = new Client(
      { name: 'client', version: '1' },
      { revisions: 'per-request', capabilities: { elicitation: { url: {} } } },
    );
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params);
      return { action: 'accept' };
    });
    let calls = 0;
    await linked(client, () => {
      calls += 1;
      if (calls === 1)
        throw new UrlElicitationRequiredError([
          { mode: 'url', message: 'Log in.', elicitationId: 'e1', url: 'https://example.com/login' },
        ]);
      return { content: [] };
    });
    expect(await client.callTool({ name: 'x' })).toMatchObject({ content: [] });
    expect(asked).toMatchObject([{ mode: 'url', url: 'https://example.com/login' }]);
    expect((asked[0] as ElicitRequestURLParams).elicitationId).toBeTypeOf('string');
    await client.close();
  });

  it('tells of a method that is not known', async () => {
    const { client } = await linked(oldClient(), () => ({ content: [] }));
    const error = await rejectionOf(client.request({ method: 'acme/unknown' }, EmptyResultSchema));
    expect(error.code).toBe(ErrorCode.MethodNotFound);
    await client.close();
  });

  it('tells of an answer that did not come in time', async () => {
    let seen: AbortSignal | undefined;
    const { client } = await linked(oldClient(), (_name, signal) => {
      seen = signal;
      return new Promise<object>(() => {});
    });
    const error = await rejectionOf(client.callTool({ name: 'x' }, undefined, { timeout: 1 }));
    expect(error.code).toBe(ErrorCode.RequestTimeout);
    await until(() => seen === undefined || seen.aborted, 'the handler is told that nobody waits');
    await client.close();
  });

  it('tells of a connection that closed before the answer came', async () => {
    let called = false;
    const { client, server } = await linked(oldClient(), () => {
      called = true;
      return new Promise<object>(() => {});
    });
    const call = rejectionOf(client.callTool({ name: 'x' }));
    await until(() => called, 'the handler runs');
    await server.close();
    expect((await call).code).toBe(ErrorCode.ConnectionClosed);
  });

  it('thrown by a tool of McpServer tells the model, as any failure of a tool does', async () => {
    const server = new OldServer({ name: 'server', version: '1' });
    server.registerTool('fail', {}, () => {
      throw new McpError(ErrorCode.InvalidParams, 'no such city');
    });
    const [here, there] = InMemoryTransport.createLinkedPair();
    await server.connect(there);
    const client = oldClient();
    await client.connect(here);
    const outcome = await client.callTool({ name: 'fail' }).then(
      (result) => ({ text: JSON.stringify(result), isError: result.isError }),
      (error: unknown) => ({ text: String(error), isError: true }),
    );
    expect(outcome).toMatchObject({ isError: true });
    expect(outcome.text).toContain('no such city');
    await client.close();
  });

  it('leaves other failures as they are', () => {
    const other = new Error('x');
    expect(toMcpError(other)).toBe(other);
    const transport = new TransportError('spawn-failed', 'x');
    expect(toMcpError(transport)).toBe(transport);
    const made = new McpError(1, 'x');
    expect(toMcpError(made)).toBe(made);
  });
});

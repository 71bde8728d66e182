import { afterEach, describe, expect, it } from 'vitest';
import { Client, StreamableHTTPClientTransport, type Tool } from '../../src/client/index.ts';
import { defineExtension } from '../../src/extensions/define-extension.ts';
import { tasksExtension } from '../../src/extensions/tasks/tasks-extension.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { Caller } from '../../src/server/calls/context.ts';
import {
  inputRequired,
  McpServer,
  ProtocolError,
  text,
  type McpServerOptions,
  type ServerContext,
  type ServerSource,
  type SourceOffers,
} from '../../src/server/index.ts';
import { mount } from '../../src/server/mounting.ts';
import type { SourceChange } from '../../src/server/composition/source.ts';
import { byCaller } from '../../src/server/relaying.ts';
import { asTask } from '../../src/server/tasks/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { CELLS, FAMILIES, closeAll, connected, lines, serveHttp, serveOver } from '../relaying/carriers.ts';
import { until } from '../until.ts';

afterEach(closeAll);

const OBJECT = { type: 'object' } as const;
const nameOf = ({ client }: Pick<Caller, 'client'>): string => client?.name ?? '';

/** Offers each caller something of its own. */
class Desk implements ServerSource {
  readonly calls: string[] = [];
  readonly offers = new Map<string, SourceOffers>();
  onchange: ((change: SourceChange) => void) | undefined;
  isClosed = false;

  offersTo(ctx: ServerContext): SourceOffers | Promise<SourceOffers> {
    const name = nameOf(ctx);
    let offers = this.offers.get(name);
    if (offers === undefined)
      this.offers.set(
        name,
        (offers = {
          tools: [
            { name: `for_${name}`, inputSchema: OBJECT },
            { name: 'both', inputSchema: OBJECT },
          ],
          prompts: [{ name: `p_${name}`, arguments: [{ name: 'x' }] }],
          resources: [{ name, uri: `desk://${name}` }],
          resourceTemplates: [{ name: 't', uriTemplate: `desk://${name}/{id}` }],
        }),
      );
    return offers;
  }
  callTool: ServerSource['callTool'] = ({ name, arguments: args }, ctx) => {
    this.calls.push(`${nameOf(ctx)} ${name}`);
    return text(`${nameOf(ctx)} ${name} ${JSON.stringify(args)}`);
  };
  readResource: ServerSource['readResource'] = ({ uri }) => ({ contents: [{ uri, text: `at ${uri}` }] });
  getPrompt: ServerSource['getPrompt'] = ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: name } }],
  });
  complete: ServerSource['complete'] = ({ argument }, ctx) => ({
    completion: { values: [`${nameOf(ctx)} ${argument.name}`] },
  });
  watch(onchange: (change: SourceChange) => void): () => void {
    this.onchange = onchange;
    return () => (this.onchange = undefined);
  }
  close(): void {
    this.isClosed = true;
  }
}

function outer(options: McpServerOptions = {}): McpServer & { problems: string[] } {
  const server = new McpServer({ name: 'outer', version: '1.0.0' }, options);
  const problems: string[] = [];
  server.server.onerror = (problem) => problems.push(problem.message);
  server.registerTool('own', {}, () => text('own'));
  return Object.assign(server, { problems });
}

async function client(
  where: string | number,
  name: string,
  revisions: (typeof FAMILIES)[number],
  options: object = {},
): Promise<Client> {
  const made = new Client({ name, version: '1' }, { revisions, cache: false, ...options });
  await made.connect((typeof where === 'string' ? where : await lines(where)) as never);
  return made;
}

const tools = async (of: Client): Promise<string[]> => (await of.listTools()).tools.map(({ name }) => name);

describe.each(CELLS)('a source that differs by caller over $carrier, $family', ({ carrier, family }) => {
  it('offers each caller its own, and nothing of others', async () => {
    const server = outer();
    const desk = new Desk();
    const mounted = await mount(server, 'desk', desk);
    const where = await serveOver(carrier, server);
    const [ann, bob] = [await client(where, 'ann', family), await client(where, 'bob', family)];
    expect(await tools(ann)).toEqual(['own', 'desk_for_ann', 'desk_both']);
    expect(await tools(bob)).toEqual(['own', 'desk_for_bob', 'desk_both']);
    expect(await bob.callTool({ name: 'desk_both', arguments: { a: 1 } })).toMatchObject(text('bob both {"a":1}'));
    await expect(bob.callTool({ name: 'desk_for_ann' })).rejects.toThrow('Unknown tool: desk_for_ann');
    expect(await ann.callTool({ name: 'desk_for_ann' })).toMatchObject(text('ann for_ann {}'));
    expect((await ann.listPrompts()).prompts).toMatchObject([{ name: 'desk_p_ann' }]);
    expect(await ann.getPrompt({ name: 'desk_p_ann' })).toMatchObject({ messages: [{ content: { text: 'p_ann' } }] });
    await expect(bob.getPrompt({ name: 'desk_p_ann' })).rejects.toThrow('Unknown prompt');
    expect((await bob.listResources()).resources).toMatchObject([{ uri: 'desk://bob' }]);
    expect((await bob.listResourceTemplates()).resourceTemplates).toMatchObject([{ name: 'desk_t' }]);
    expect((await bob.readResource({ uri: 'desk://bob/7' })).contents).toMatchObject([{ text: 'at desk://bob/7' }]);
    await expect(bob.readResource({ uri: 'desk://ann' })).rejects.toThrow('Resource not found');
    const argument = { name: 'x', value: '' };
    const ref = { type: 'ref/prompt', name: 'desk_p_ann' } as const;
    expect((await ann.complete({ ref, argument })).completion.values).toEqual(['ann x']);
    await expect(bob.complete({ ref, argument })).rejects.toThrow('Unknown prompt');
    expect(server.problems).toEqual([]);
    await mounted.unmount();
    await mounted.unmount();
    expect(desk.isClosed).toBe(true);
    expect(desk.onchange).toBeUndefined();
    expect(await tools(ann)).toEqual(['own']);
    await expect(ann.callTool({ name: 'desk_both' })).rejects.toThrow('Unknown tool');
    await Promise.all([ann.close(), bob.close()]);
  });

  it('asks its caller in the explicit style, and the answer comes back', async () => {
    const server = outer();
    const desk = new Desk();
    desk.callTool = (_call, ctx) =>
      ctx.inputResponses === undefined
        ? inputRequired({
            inputRequests: {
              who: {
                method: 'elicitation/create',
                params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
              },
            },
            requestState: 'kept',
          })
        : text(`${String(ctx.requestState)} ${JSON.stringify(ctx.inputResponses['who'])}`);
    await mount(server, 'desk', desk);
    const where = await serveOver(carrier, server);
    const ann = await connected(where, { revisions: family, capabilities: { elicitation: { form: {} } } }, (made) => {
      made.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    });
    expect(await ann.callTool({ name: 'desk_both' })).toMatchObject(text('kept {"action":"decline"}'));
  });

  it('leaves out a source that fails for one caller, for that caller alone, and says so', async () => {
    const server = outer();
    const desk = new Desk();
    const others = new Desk();
    desk.offersTo = (ctx) => {
      if (nameOf(ctx) === 'ann') throw new Error('login expired: secret');
      return Desk.prototype.offersTo.call(desk, ctx);
    };
    await mount(server, 'desk', desk);
    await mount(server, 'other', others);
    others.offers.set('ann', { tools: [{ name: 'still', inputSchema: OBJECT }] });
    others.offers.set('bob', {});
    const where = await serveOver(carrier, server);
    const [ann, bob] = [await client(where, 'ann', family), await client(where, 'bob', family)];
    expect(await tools(ann)).toEqual(['own', 'other_still']);
    expect(await tools(bob)).toContain('desk_both');
    expect(new Set(server.problems)).toEqual(
      new Set(['The source mounted as "desk", for a caller: login expired: secret']),
    );
    expect(await ann.callTool({ name: 'own' })).toMatchObject(text('own'));
    expect(await ann.callTool({ name: 'other_still' })).toMatchObject({ content: [{ text: 'ann still {}' }] });
    const refused = await ann.callTool({ name: 'desk_both' }).catch((error: Error) => error.message);
    expect(refused).toContain('cannot be reached now');
    expect(refused).not.toContain('secret');
    desk.offersTo = () => Promise.reject(new ProtocolError('invalid-request', 'Log in first.'));
    await expect(ann.callTool({ name: 'desk_both' })).rejects.toThrow('Log in first.');
    await expect(ann.readResource({ uri: 'desk://ann' })).rejects.toThrow('Log in first.');
    await Promise.all([ann.close(), bob.close()]);
  });
});

describe('the lists of a server with such a source', () => {
  it.each(FAMILIES)('do not wait for ever for it, and calls of others do not wait at all, %s', async (family) => {
    const clock = new ManualClock();
    const server = outer({ clock });
    let asked = 0;
    await mount(server, 'slow', {
      offersTo: () => new Promise<never>(() => (asked += 1)),
      callTool: () => text('never'),
    });
    await mount(server, 'desk', new Desk());
    const ann = await client(await serveOver('stdio', server), 'ann', family);
    const listed = tools(ann);
    await until(() => asked === 1);
    expect(await ann.callTool({ name: 'own' })).toMatchObject(text('own'));
    expect(await ann.callTool({ name: 'desk_both' })).toMatchObject({ content: [{ text: 'ann both {}' }] });
    await clock.advance(10_000);
    expect(await listed).toEqual(['own', 'desk_for_ann', 'desk_both']);
    expect(server.problems).toEqual([
      'The source mounted as "slow", for a caller: it did not say what it offers within 10000 ms',
    ]);
    await ann.close();
  });

  it.each(FAMILIES)('are paged through all kinds of offers, each item once and in one order, %s', async (family) => {
    const server = outer({ pageSize: 2 });
    const inner = new McpServer({ name: 'inner', version: '1.0.0' });
    inner.registerTool('fixed', {}, () => text('x'));
    const many = new Desk();
    many.offers.set('ann', { tools: ['c', 'a', 'b'].map((name) => ({ name, inputSchema: OBJECT })) });
    await mount(server, 'many', many);
    server.registerTool('between', {}, () => text('x'));
    mount(server, 'inner', inner);
    await mount(server, 'desk', new Desk());
    const ann = await client(await serveOver('http', server), 'ann', family);
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page: JsonObject = await ann.request({
        method: 'tools/list',
        params: cursor === undefined ? {} : { cursor },
      });
      pages.push((page['tools'] as Tool[]).map(({ name }) => name));
      cursor = page['nextCursor'] as string | undefined;
      if (pages.length === 1) server.registerTool('late', {}, () => text('x'));
    } while (cursor !== undefined && pages.length < 10);
    expect(pages.flat()).toEqual([
      'own',
      'many_c',
      'many_a',
      'many_b',
      'between',
      'inner_fixed',
      'desk_for_ann',
      'desk_both',
      'late',
    ]);
    await ann.close();
  });

  it('keep the registered entry where a source offers its name, URI or template, and report the other once', async () => {
    const server = outer();
    server.registerTool('desk_both', {}, () => text('mine'));
    server.registerResource('r', 'desk://ann', {}, ({ href }) => ({ contents: [{ uri: href, text: 'mine' }] }));
    const desk = new Desk();
    await mount(server, 'desk', desk);
    const ann = await client(await serveOver('http', server), 'ann', 'per-request');
    expect(await tools(ann)).toEqual(['own', 'desk_both', 'desk_for_ann']);
    expect(await ann.callTool({ name: 'desk_both' })).toMatchObject(text('mine'));
    expect((await ann.readResource({ uri: 'desk://ann' })).contents).toMatchObject([{ text: 'mine' }]);
    await tools(ann);
    expect(server.problems.filter((problem) => problem.includes('"desk_both" is offered by another'))).toHaveLength(1);
    expect(desk.calls).toEqual([]);
    await ann.close();
  });

  it('leave out offers that cannot be used, and those beyond a bound', async () => {
    const server = outer();
    const desk = new Desk();
    const good = { name: 'good', inputSchema: OBJECT };
    const bad = {
      name: 'bad',
      inputSchema: { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'no good' } } },
    };
    desk.offers.set('ann', {
      tools: [good, bad, good, null, { inputSchema: OBJECT }],
      resourceTemplates: [{ name: 't', uriTemplate: 'bad://{' }],
      resources: Array.from({ length: 10_001 }, (_, at) => ({ name: 'r', uri: `desk://${at}` })),
    } as never);
    await mount(server, 'desk', desk);
    const ann = await client(await serveOver('stdio', server), 'ann', 'per-request');
    expect(await tools(ann)).toEqual(['own', 'desk_good']);
    expect((await ann.listResources()).resources).toHaveLength(10_000);
    expect(server.problems).toHaveLength(6);
    expect(server.problems.every((problem) => problem.includes('source mounted as "desk"'))).toBe(true);
    desk.offersTo = () => 'nothing' as never;
    expect(await tools(ann)).toEqual(['own']);
    await ann.close();
  });

  it('cannot be public', async () => {
    const server = outer({ listHints: { tools: { ttlMs: 1000, cacheScope: 'public' } } });
    await expect(mount(server, 'desk', new Desk())).rejects.toThrow('The list of tools is marked public');
    const inner = new McpServer({ name: 'inner', version: '1.0.0' });
    await mount(inner, 'desk', new Desk());
    mount(server, 'inner', inner);
    const ann = await client(await serveOver('stdio', server), 'ann', 'per-request');
    expect(await tools(ann)).toEqual(['own']);
    expect(server.problems[0]).toContain('is marked public');
    await ann.close();
  });

  it('go through servers that are mounted in turn', async () => {
    const [server, inner] = [outer(), new McpServer({ name: 'inner', version: '1.0.0' })];
    inner.registerTool('fixed', {}, () => text('fixed'));
    const onto = mount(server, 'in', inner);
    const desk = new Desk();
    const mounted = await mount(inner, 'desk', desk);
    const where = await serveOver('http', server);
    const [ann, bob] = [await client(where, 'ann', 'handshake'), await client(where, 'bob', 'per-request')];
    await onto.refresh();
    expect((await tools(ann)).toSorted()).toEqual(['in_desk_both', 'in_desk_for_ann', 'in_fixed', 'own']);
    expect(await bob.callTool({ name: 'in_desk_for_bob' })).toMatchObject(text('bob for_bob {}'));
    await expect(bob.callTool({ name: 'in_desk_for_ann' })).rejects.toThrow('Unknown tool');
    const ref = { type: 'ref/prompt', name: 'in_desk_p_ann' } as const;
    expect((await ann.complete({ ref, argument: { name: 'x', value: '' } })).completion.values).toEqual(['ann x']);
    await mounted.unmount();
    expect(await tools(bob)).toEqual(['own', 'in_fixed']);
    await Promise.all([ann.close(), bob.close()]);
  });
});

describe('a call to such a source', () => {
  it('is refused over HTTP when a header differs from the argument that it repeats', async () => {
    const server = outer();
    const desk = new Desk();
    const inputSchema = {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    } as const;
    desk.offers.set('ann', { tools: [{ name: 'go', inputSchema }] });
    await mount(server, 'desk', desk);
    const where = await serveHttp(server);
    const ann = await client(where, 'ann', 'per-request');
    await tools(ann);
    expect(await ann.callTool({ name: 'desk_go', arguments: { region: 'eu' } })).toMatchObject({
      content: [{ text: 'ann go {"region":"eu"}' }],
    });
    const post = (region: string | undefined): Promise<Response> =>
      fetch(where, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': ann.getNegotiatedProtocolVersion() ?? '',
          'mcp-method': 'tools/call',
          'mcp-name': 'desk_go',
          ...(region !== undefined && { 'mcp-param-region': region }),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'desk_go',
            arguments: { region: 'eu' },
            _meta: {
              'io.modelcontextprotocol/protocolVersion': ann.getNegotiatedProtocolVersion(),
              'io.modelcontextprotocol/clientInfo': { name: 'ann', version: '1' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
      });
    const calls = desk.calls.length;
    for (const region of ['us', undefined]) {
      const response = await post(region);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { data: { header: 'mcp-param-region' } } });
    }
    expect(desk.calls).toHaveLength(calls);
    expect((await post('eu')).status).toBe(200);
    await ann.close();
  });

  it('may end with a task of the source', async () => {
    const server = outer();
    const desk = new Desk();
    const task = {
      taskId: 'up-1',
      status: 'working',
      createdAt: '2026-01-01T00:00:00Z',
      lastUpdatedAt: '2026-01-01T00:00:00Z',
      ttlMs: 60_000,
    } as const;
    server.use({ extension: defineExtension(tasksExtension), handlers: { 'tasks/get': () => ({ ...task }) } } as never);
    desk.callTool = (_call, ctx) => asTask(ctx, task);
    await mount(server, 'desk', desk);
    const seen: string[] = [];
    server.use(async (operation, next) => {
      const outcome = await next();
      if (operation.method === 'tools/call') seen.push(outcome.kind);
      return outcome;
    });
    const ann = await client(await serveOver('http', server), 'ann', 'per-request', { tasks: true });
    const handle = await ann.startTask({ name: 'desk_both' });
    expect(handle.task).toMatchObject(task);
    expect(seen).toEqual(['task']);
    await ann.close();
  });
});

describe.each(FAMILIES)('a change of such a source, %s', (family) => {
  async function listening(where: string, name: string): Promise<{ told: string[]; made: Client }> {
    const told: string[] = [];
    const made = new Client({ name, version: '1' }, { revisions: family, cache: false });
    made.fallbackNotificationHandler = ({ method }) => {
      if (method.endsWith('list_changed')) told.push(method);
    };
    const requestInit = { headers: { 'x-name': name } };
    await made.connect(new StreamableHTTPClientTransport(new URL(where), { requestInit }));
    if (family === 'per-request') await made.listen({ toolsListChanged: true, promptsListChanged: true });
    return { told, made };
  }

  it('is told to its group alone', async () => {
    const server = outer();
    const desk = new Desk();
    server.use(byCaller({ groupOf: nameOf }));
    await mount(server, 'desk', desk);
    const where = await serveHttp(server);
    const [ann, bob] = [await listening(where, 'ann'), await listening(where, 'bob')];
    desk.onchange?.({ kind: 'tools', group: 'ann' });
    await until(() => ann.told.length === 1);
    desk.onchange?.({ kind: 'prompts' });
    await until(() => bob.told.length === 1);
    expect(ann.told).toEqual(['notifications/tools/list_changed', 'notifications/prompts/list_changed']);
    expect(bob.told).toEqual(['notifications/prompts/list_changed']);
    await Promise.all([ann.made.close(), bob.made.close()]);
  });

  it('finds the group of a principal where no one has named another', async () => {
    const server = outer();
    const desk = new Desk();
    await mount(server, 'desk', desk);
    const where = await serveHttp(server, { principal: (_token, request) => request.header('x-name') });
    const [ann, bob] = [await listening(where, 'ann'), await listening(where, 'bob')];
    desk.onchange?.({ kind: 'tools', group: 'ann' });
    await until(() => ann.told.length === 1);
    desk.onchange?.({ kind: 'prompts', group: 'bob' });
    await until(() => bob.told.length === 1);
    expect(ann.told).toEqual(['notifications/tools/list_changed']);
    expect(bob.told).toEqual(['notifications/prompts/list_changed']);
    await Promise.all([ann.made.close(), bob.made.close()]);
  });
});

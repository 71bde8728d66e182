import { McpServer, text } from 'crosspoint/server';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { agent, type AgentHost, type AgentOptions } from '../../src/agent/index.ts';
import { ToolSearch, ToolView } from '../../src/search/index.ts';
import type { CatalogueTool, JsonObject } from '../../src/index.ts';
import { child, closeHosts, inProcess, openHost } from '../host/opened.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { eventsOf, heard, says, scene, scripted, typesOf, uses } from './script.ts';

afterEach(closeHosts);

function server(name: string): McpServer {
  const made = new McpServer({ name, version: '1' }, { instructions: `Use ${name} with care.` });
  made.registerTool('echo', { inputSchema: { words: z.string() } }, ({ words }) => text(`${name}: ${words}`));
  return made;
}

it('says how to have an agent where there is none', () => {
  const host = openHost();
  expect(() => host.run('Hello')).toThrow(/no agent: import \{ agent \} from '@crosspoint\/host\/agent'/);
  expect(() => host.resume('1')).toThrow(/@crosspoint\/host\/agent/);
});

it('refuses options and words that are none', () => {
  const { host } = scene([says('')]);
  expect(() => agent({ models: [] })).toThrow(/needs a provider/);
  expect(() => agent({ models: [scripted([])], maxTokens: 0 })).toThrow(/maxTokens of an agent is a number above 0/);
  expect(() => agent({ models: [scripted([])], budget: { cost: -1 } })).toThrow(/cost of a budget/);
  expect(() => host.run('')).toThrow(/needs words/);
  expect(() => host.run('x', { id: 'x'.repeat(201) })).toThrow(/id of a run/);
});

it('calls the tools of several servers side by side, and gives the model their results', async () => {
  let waiting = 0;
  const meeting = (name: string): McpServer => {
    const made = new McpServer({ name, version: '1' });
    made.registerTool('meet', {}, async () => {
      waiting += 1;
      await until(() => waiting === 2, 'the other call has begun');
      return text(`${name} met`);
    });
    return made;
  };
  const { host, model } = scene([uses(['a__meet'], ['b__meet']), says('Both met.')], {
    servers: { a: inProcess(meeting('a')), b: inProcess(meeting('b')) },
  });
  const run = host.run('Have them meet.');
  const events = await eventsOf(run);
  const result = await run.result;
  expect(typesOf(events)).toEqual([
    'begin',
    'message',
    'usage',
    'call',
    'call',
    'result',
    'result',
    'message',
    'usage',
    'end',
  ]);
  expect(result).toMatchObject({ id: run.id, reason: 'done', text: 'Both met.', rounds: 2 });
  expect(result.usage).toMatchObject({ inputTokens: 40, outputTokens: 20 });
  expect(heard(model.requests[1])).toEqual(['a met', 'b met']);
  expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['a__meet', 'b__meet']);
});

it('tells the model the instructions of servers whose tools it sees', async () => {
  const { host, model } = scene([says('Yes.')], {
    servers: { a: inProcess(server('a')) },
    agentOptions: { system: 'Be kind.' },
  });
  await host.run('Hello').result;
  expect(model.requests[0]?.system).toMatch(
    /^Be kind\.\n\n.*no orders.*\n\nThe server "a" says about its tools:\nUse a with care\.$/s,
  );
});

it('tells of approvals, and the model of a refusal', async () => {
  const { host, model } = scene([uses(['a__echo', { words: 'hi' }]), says('Pity.')], {
    servers: { a: inProcess(server('a')) },
    policy: {},
  });
  const run = host.run('Greet.');
  const types: string[] = [];
  for await (const event of run) {
    types.push(event.type);
    if (event.type !== 'approval-wanted') continue;
    expect(event.call).toMatchObject({ tool: 'a__echo', server: 'a', arguments: { words: 'hi' }, ref: 'r1' });
    expect(event.item.from.reason).toBe('The model says: Let me look.');
    expect(event.item.from.call?.id).toBe(event.call?.id);
    host.inbox.answer(event.item.id, { action: 'deny', message: 'Not today.' });
  }
  expect(types).toEqual(expect.arrayContaining(['approval-wanted', 'answered', 'result']));
  expect(heard(model.requests[1])[0]).toMatch(/refused: Not today\. The tool was not called\. Do not call it again/);
});

it('tells the model of arguments that the user changed', async () => {
  const { host, model } = scene([uses(['a__echo', { words: 'hi' }]), says('I see.')], {
    servers: { a: inProcess(server('a')) },
    policy: {},
  });
  for await (const event of host.run('Greet.'))
    if (event.type === 'approval-wanted')
      host.inbox.answer(event.item.id, { action: 'allow', arguments: { words: 'good day' } });
  expect(heard(model.requests[1])).toEqual([
    'The user changed the arguments. The tool was called with {"words":"good day"}|a: good day',
  ]);
});

it('tells the model of a rule that denies', async () => {
  const { host, model } = scene([uses(['a__echo', { words: 'hi' }]), says('Pity.')], {
    servers: { a: inProcess(server('a')) },
    policy: { rules: [{ effect: 'deny', server: 'a' }] },
  });
  await host.run('Greet.').result;
  expect(heard(model.requests[1])[0]).toMatch(/refused: .* The tool was not called, and will not be/);
});

it('tells of questions of servers, and of progress', async () => {
  const asking = new McpServer({ name: 'a', version: '1' });
  asking.registerTool('book', {}, async (ctx) => {
    ctx.progress(1, 2);
    const answer = await ctx.elicit({ message: 'Which day?', schema: z.object({ day: z.string() }) });
    return text(`Booked: ${answer.action === 'accept' ? answer.content.day : 'nothing'}`);
  });
  const { host, model } = scene([uses(['a__book']), says('Done.')], { servers: { a: inProcess(asking) } });
  const types: string[] = [];
  for await (const event of host.run('Book.')) {
    types.push(event.type);
    if (event.type !== 'question') continue;
    expect(event).toMatchObject({ call: { tool: 'a__book' }, item: { kind: 'form' } });
    host.inbox.answer(event.item.id, { action: 'accept', content: { day: 'Monday' } });
  }
  expect(types).toEqual(expect.arrayContaining(['progress', 'question', 'answered']));
  expect(heard(model.requests[1])).toEqual(['Booked: Monday']);
});

it('tells the model of faults in words, and calls nothing by guessing', async () => {
  const failing = server('a');
  failing.registerTool('fail', {}, () => ({ content: [{ type: 'text', text: 'No disk.' }], isError: true }));
  failing.registerTool('hidden', { _meta: { ui: { visibility: ['app'] } } }, () => text('secret'));
  const { host, model } = scene(
    [
      uses(['a__ecco'], ['a__hidden'], ['a__echo', { words: 1 }], ['a__fail'], ['gone__x']),
      (request) => ({
        content: [{ type: 'tool-use', id: 'f', name: 'a__echo', input: {}, faultyInput: '{"words": "he' }],
        stopReason: request.model === '' ? 'end-turn' : 'tool-use',
      }),
      says('I see.'),
    ],
    { servers: { a: inProcess(failing) } },
  );
  await host.run('Try.').result;
  const [unknown, hidden, mismatch, failed, gone] = heard(model.requests[1]);
  expect(unknown).toBe('There is no tool "a__ecco", so nothing was called. Similar names: a__echo.');
  expect(hidden).toMatch(/There is no tool "a__hidden"/);
  expect(mismatch).toMatch(/words/);
  expect(failed).toBe('No disk.');
  expect(gone).toMatch(/There is no tool "gone__x"/);
  expect(heard(model.requests[2])).toEqual([
    'The arguments of a__echo are no JSON object, so nothing was called. They begin with: {"words": "he',
  ]);
  const flags = model.requests[1]?.messages
    .at(-1)
    ?.content.map((block) => block.type === 'tool-result' && block.isError);
  expect(flags).toEqual([true, true, true, true, true]);
});

it('tells the model of a server that is not there any more', async () => {
  const { host, model } = scene([uses(['a__die']), uses(['a__tool_0']), says('I see.')], {
    servers: { a: child('a') },
    retry: { initialDelayMs: 60_000 },
    connectMs: 3000,
  });
  await host.settled();
  answerStarts(host);
  await host.run('Try.').result;
  expect(heard(model.requests[1])[0]).toMatch(
    /^The connection to the server "a" failed while a__die ran \(.*\)\. Whether it has done its work is not known\./,
  );
  expect(heard(model.requests[2])[0]).toMatch(/^The server "a" cannot be reached now\. The tool was not called\./);
});

function answerStarts(host: ReturnType<typeof openHost>): void {
  for (const { id } of host.inbox.list({ kind: 'start' })) host.inbox.answer(id, { action: 'allow' });
}

it('keeps pictures for models that take them, and describes them to others', async () => {
  const made = new McpServer({ name: 'a', version: '1' });
  made.registerTool('draw', {}, () => ({
    content: [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'note://1', text: 'A note.' } },
      { type: 'resource_link', uri: 'note://2', name: 'two' },
      { type: 'text', text: 'For people.', annotations: { audience: ['user'] } },
    ],
  }));
  const seen = async (takes: 'image'[]): Promise<string[]> => {
    const { host, model } = scene([uses(['a__draw']), says('Nice.')], {
      servers: { a: inProcess(made) },
      info: { takes },
    });
    await host.run('Draw.').result;
    await host.close();
    return heard(model.requests[1]);
  };
  expect(await seen(['image'])).toEqual(['(image)|(resource)|(resource)']);
  expect(await seen([])).toEqual([
    '(An image of type image/png, 1 kB, which is not shown to you.)|(resource)|(resource)',
  ]);
});

it('shows the tools of a view, answers its calls by it, and calls no tool that it does not show', async () => {
  const loaded: string[] = [];
  const { host, model } = scene(
    [
      uses(['find', { query: 'echo' }], ['a__echo', { words: 'early' }]),
      uses(['a__echo', { words: 'hi' }]),
      says('Found.'),
    ],
    {
      servers: { a: inProcess(server('a')) },
      agentOptions: {
        view: (seen) => ({
          tools: () => [FIND, ...loaded.flatMap((name) => seen.catalogue.tool(name) ?? [])],
          answers: (name) => name === 'find',
          answer: () => {
            loaded.push('a__echo');
            return text('Loaded a__echo.');
          },
        }),
      },
    },
  );
  await host.run('Find it.').result;
  expect(model.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
    ['find'],
    ['find', 'a__echo'],
    ['find', 'a__echo'],
  ]);
  expect(heard(model.requests[1])).toEqual(['Loaded a__echo.', expect.stringMatching(/no tool "a__echo"/)]);
  expect(heard(model.requests[2])).toEqual(['a: hi']);
});

const FIND: CatalogueTool = {
  name: 'find',
  server: '',
  isForModel: true,
  isForApps: false,
  isStale: false,
  tool: { name: 'find', inputSchema: { type: 'object' } },
};

it('ends with the reason where the model is not known, or its prices are not', async () => {
  const { host } = scene([says('Hi')]);
  const result = await host.run('Hello', { model: 'model-9' }).result;
  expect(result).toMatchObject({
    reason: 'failed',
    detail: 'No provider of the agent has a model "model-9". Models: model-1.',
  });
  const { prices: _, ...free } = { prices: undefined };
  const other = openHost({
    agent: agent({ models: [{ ...scripted([says('Hi')]), models: () => [{ name: 'm', ...free }] }] }),
  });
  expect(await other.run('Hello', { budget: { cost: 1 } }).result).toMatchObject({
    reason: 'failed',
    detail: expect.stringContaining('prices of the model "m" are not known') as string,
  });
});

it('has its events read once, and needs nobody to read them', async () => {
  const { host } = scene([says('Hi')]);
  const run = host.run('Hello');
  expect((await run.result).text).toBe('Hi');
  expect(typesOf(await eventsOf(run))).toEqual(['begin', 'message', 'usage', 'end']);
  await expect(eventsOf(run)).rejects.toThrow(/read once/);
});

it('takes the view of a search, whose loaded tools stay loaded when the run is resumed', async () => {
  const many = new McpServer({ name: 'a', version: '1' });
  for (let at = 0; at < 200; at += 1)
    many.registerTool(`tool_${at}`, { description: 'Does a thing.' }, () => text(`${at}`));
  many.registerTool('weather', { description: 'Tells the weather.' }, () => text('Rain.'));
  const view: AgentOptions['view'] = (host, state) => new ToolView(new ToolSearch(host), { state });
  const { host, model } = scene([uses(['search_tools', { query: 'weather' }]), uses(['a__weather']), says('Rain.')], {
    servers: { a: inProcess(many) },
    agentOptions: { view },
  });
  const run = host.run('What is the weather?', { budget: { rounds: 1 } });
  expect((await run.result).reason).toBe('rounds');
  const result = await host.resume(run.id, { budget: { rounds: 9 } }).result;
  expect(result).toMatchObject({ reason: 'done', rounds: 3 });
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['search_tools']);
  expect(model.requests[1]?.tools?.map(({ name }) => name)).toContain('a__weather');
  expect(heard(model.requests[2])).toEqual(['Rain.']);
});

it('reports the run and each request to the model as spans, where the host keeps a timeline', async () => {
  const { host } = scene([uses(['a__echo', { words: 'hi' }]), says('Hi.')], { servers: { a: inProcess(server('a')) } });
  const spans: unknown[] = [];
  const span: AgentHost['span'] = async (kind, facts, work) => {
    const all: JsonObject[] = [facts];
    spans.push([kind, all]);
    return work({ set: (more) => void all.push(more) });
  };
  Object.assign(host, { span });
  await host.run('Greet.', { id: 'mine' }).result;
  expect(spans).toEqual([
    [
      'run',
      [
        { name: 'mine', model: 'model-1', isResumed: false },
        { reason: 'done', rounds: 2 },
      ],
    ],
    ['model', [expect.objectContaining({ name: 'model-1' }), expect.objectContaining({ stopReason: 'tool-use' })]],
    ['model', [expect.objectContaining({ name: 'model-1' }), expect.objectContaining({ stopReason: 'end-turn' })]],
  ]);
});

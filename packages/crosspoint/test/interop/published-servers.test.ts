import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, createVerdictMemory, type ClientOptions } from '../../src/client/index.ts';
import { StdioClientTransport } from '../../src/client/stdio.ts';
import { until } from '../fixtures/stdio/compiled.ts';

const require = createRequire(import.meta.url);

/** Starts the program of an installed package as a user would: with default negotiation, and strict about results. */
async function start(
  name: string,
  args: string[],
  options: ClientOptions = {},
): Promise<{ client: Client; problems: Error[] }> {
  const problems: Error[] = [];
  const client = new Client(
    { name: 'published-servers', version: '1.0.0' },
    {
      verdicts: createVerdictMemory(),
      outputValidation: 'error',
      onproblem: (problem) => problems.push(problem),
      ...options,
    },
  );
  if (options.capabilities?.elicitation)
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada', check: true } }));
  if (options.capabilities?.sampling)
    client.setRequestHandler('sampling/createMessage', () => ({
      role: 'assistant',
      model: 'test',
      content: { type: 'text', text: 'sampled' },
    }));
  if (options.capabilities?.roots)
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///home/ada', name: 'home' }] }));
  const script = join(require.resolve(`@modelcontextprotocol/${name}/package.json`), '..', 'dist', 'index.js');
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [script, ...args], stderr: 'ignore' }),
  );
  return { client, problems };
}

const textOf = (content: readonly object[]): string => (content[0] as { text: string }).text;

describe('the published server "everything"', () => {
  let client: Client;
  let problems: Error[];
  const updates: string[] = [];
  const logs: unknown[] = [];
  beforeAll(async () => {
    ({ client, problems } = await start('server-everything', ['stdio'], {
      capabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } },
      onlog: (message) => logs.push(message),
    }));
    client.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void updates.push(String(params?.['uri'])),
    );
  });
  afterAll(() => client.close());

  it('is recognised and lists everything it has', async () => {
    expect(client.family).toBe('handshake');
    expect(client.getInstructions()).toBeTruthy();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'echo',
        'get-sum',
        'get-structured-content',
        'get-tiny-image',
        'get-resource-links',
        'trigger-long-running-operation',
      ]),
    );
    expect((await client.listResources()).resources.length).toBeGreaterThan(3);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['simple-prompt', 'args-prompt', 'completable-prompt', 'resource-prompt']),
    );
  });

  it('runs its tools: text, structured content, images, links and annotations', async () => {
    expect(textOf((await client.callTool({ name: 'echo', arguments: { message: 'grüße 😀' } })).content)).toBe(
      'Echo: grüße 😀',
    );
    expect(textOf((await client.callTool({ name: 'get-sum', arguments: { a: 2, b: 3 } })).content)).toContain('5');
    const weather = await client.callTool({ name: 'get-structured-content', arguments: { location: 'Chicago' } });
    expect(weather.structuredContent).toMatchObject({ temperature: 36, humidity: 82 });
    expect((await client.callTool({ name: 'get-tiny-image', arguments: {} })).content).toContainEqual(
      expect.objectContaining({ type: 'image', mimeType: 'image/png' }),
    );
    expect(
      (await client.callTool({ name: 'get-resource-links', arguments: { count: 2 } })).content.filter(
        ({ type }) => type === 'resource_link',
      ),
    ).toHaveLength(2);
    const annotated = await client.callTool({
      name: 'get-annotated-message',
      arguments: { messageType: 'error', includeImage: false },
    });
    expect(annotated.content[0]).toMatchObject({ annotations: { priority: 1 } });
    expect(await client.callTool({ name: 'get-sum', arguments: { a: 'two', b: 3 } })).toMatchObject({ isError: true });
  });

  it('reports the progress of a long operation', async () => {
    const seen: number[] = [];
    const call = client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 4 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    expect(textOf((await call).content)).toContain('completed');
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('serves resources and updates of them', async () => {
    const uri = 'demo://resource/dynamic/text/7';
    expect((await client.readResource({ uri })).contents).toMatchObject([
      { uri, text: expect.stringContaining('Resource 7') as string },
    ]);
    expect((await client.readResource({ uri: 'demo://resource/dynamic/blob/2' })).contents[0]).toHaveProperty('blob');
    const [first] = (await client.listResources()).resources;
    expect((await client.readResource({ uri: first?.uri ?? '' })).contents).toHaveLength(1);
    await client.subscribeResource({ uri });
    await client.callTool({ name: 'toggle-subscriber-updates', arguments: {} });
    await until(() => updates.includes(uri));
    await client.callTool({ name: 'toggle-subscriber-updates', arguments: {} });
    await client.unsubscribeResource({ uri });
    expect(logs.length).toBeGreaterThan(0);
  });

  it('serves prompts, with completion that depends on other arguments', async () => {
    expect((await client.getPrompt({ name: 'simple-prompt' })).messages).toHaveLength(1);
    const ref = { type: 'ref/prompt' as const, name: 'completable-prompt' };
    expect((await client.complete({ ref, argument: { name: 'department', value: 'S' } })).completion.values).toEqual([
      'Sales',
      'Support',
    ]);
    const context = { arguments: { department: 'Sales' } };
    expect((await client.complete({ ref, argument: { name: 'name', value: '' }, context })).completion.values).toEqual([
      'David',
      'Eve',
      'Frank',
    ]);
    expect(
      textOf([
        (await client.getPrompt({ name: 'completable-prompt', arguments: { department: 'Sales', name: 'Eve' } }))
          .messages[0]?.content ?? {},
      ]),
    ).toContain('Eve');
  });

  it('asks for roots, input and samples', async () => {
    const asking = ['get-roots-list', 'trigger-elicitation-request', 'trigger-sampling-request'];
    await expect
      .poll(async () => (await client.listTools()).tools.map(({ name }) => name), { timeout: 5000 })
      .toEqual(expect.arrayContaining(asking));
    expect(textOf((await client.callTool({ name: 'get-roots-list', arguments: {} })).content)).toContain(
      'file:///home/ada',
    );
    expect(JSON.stringify(await client.callTool({ name: 'trigger-elicitation-request', arguments: {} }))).toContain(
      'Ada',
    );
    expect(
      JSON.stringify(
        await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'Hello?', maxTokens: 5 } }),
      ),
    ).toContain('sampled');
  });

  it('gives no reason to complain', () => {
    expect(problems).toEqual([]);
  });
});

describe('the published server "filesystem"', () => {
  let folder: string;
  let client: Client;
  let problems: Error[];
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'crosspoint-files-')));
    writeFileSync(join(folder, 'note.txt'), 'first line\nsecond line\n');
    ({ client, problems } = await start('server-filesystem', [folder]));
  });
  afterAll(async () => {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('declares an older dialect in its schemas, and no tool is refused for it', async () => {
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(10);
    expect(
      tools.filter(({ outputSchema }) => outputSchema?.['$schema'] === 'http://json-schema.org/draft-07/schema#')
        .length,
    ).toBeGreaterThan(10);
  });

  it('reads, writes, edits, lists and searches', async () => {
    await client.listTools();
    const path = join(folder, 'note.txt');
    expect(await client.callTool({ name: 'read_text_file', arguments: { path, head: 1 } })).toMatchObject({
      structuredContent: { content: 'first line' },
    });
    await client.callTool({ name: 'write_file', arguments: { path: join(folder, 'new.txt'), content: 'ümlaut' } });
    expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('ümlaut');
    await client.callTool({ name: 'edit_file', arguments: { path, edits: [{ oldText: 'second', newText: 'other' }] } });
    expect(readFileSync(path, 'utf8')).toContain('other line');
    expect(JSON.stringify(await client.callTool({ name: 'list_directory', arguments: { path: folder } }))).toContain(
      'new.txt',
    );
    expect(
      JSON.stringify(await client.callTool({ name: 'search_files', arguments: { path: folder, pattern: '**/*.txt' } })),
    ).toContain('note.txt');
    expect(await client.callTool({ name: 'directory_tree', arguments: { path: folder } })).toHaveProperty(
      'structuredContent',
    );
    expect(await client.callTool({ name: 'get_file_info', arguments: { path } })).toHaveProperty('structuredContent');
  });

  it('refuses paths outside its folder with an error result, not held to the schema of success', async () => {
    expect(await client.callTool({ name: 'read_text_file', arguments: { path: '/etc/hostname' } })).toMatchObject({
      isError: true,
    });
    expect(await client.callTool({ name: 'read_text_file', arguments: {} })).toMatchObject({ isError: true });
  });

  it('takes its folders from the roots of the client', async () => {
    const other = realpathSync(mkdtempSync(join(tmpdir(), 'crosspoint-roots-')));
    writeFileSync(join(other, 'rooted.txt'), 'rooted');
    const rooted = new Client(
      { name: 'rooted', version: '1.0.0' },
      { verdicts: createVerdictMemory(), capabilities: { roots: { listChanged: true } } },
    );
    let asked = 0;
    rooted.setRequestHandler('roots/list', () => {
      asked += 1;
      return { roots: [{ uri: pathToFileURL(other).href }] };
    });
    const script = join(
      require.resolve('@modelcontextprotocol/server-filesystem/package.json'),
      '..',
      'dist',
      'index.js',
    );
    await rooted.connect(
      new StdioClientTransport({ command: process.execPath, args: [script, folder], stderr: 'ignore' }),
    );
    try {
      await until(() => asked > 0);
      await expect
        .poll(async () => JSON.stringify(await rooted.callTool({ name: 'list_allowed_directories', arguments: {} })), {
          timeout: 5000,
        })
        .toContain(other);
      expect(
        await rooted.callTool({ name: 'read_text_file', arguments: { path: join(other, 'rooted.txt') } }),
      ).toMatchObject({ structuredContent: { content: 'rooted' } });
    } finally {
      await rooted.close();
      rmSync(other, { recursive: true, force: true });
    }
  });

  it('gives no reason to complain', () => {
    expect(problems).toEqual([]);
  });
});

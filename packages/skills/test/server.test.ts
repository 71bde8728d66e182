import { describe, expect, test } from 'vitest';
import { McpServer } from 'crosspoint/server';
import {
  memorySkillFiles,
  SkillCatalog,
  SkillsExtension,
  type Skill,
  type SkillCatalogOptions,
} from '../src/server/index.ts';
import type { SkillProblem } from '../src/server/scan-skills.ts';
import { newestHandshake, oldestHandshake, stateless, Wire } from '../../crosspoint/test/server/wire.ts';
import { skillFiles } from './fixtures.ts';

const ID = 'io.modelcontextprotocol/skills';
const PDF = 'skill://pdf-processing/SKILL.md';

async function served(options: SkillCatalogOptions = {}, files = skillFiles()) {
  const server = new McpServer({ name: 'skilled', version: '1.0' });
  const catalog = await SkillCatalog.load(memorySkillFiles(files), options);
  catalog.attach(server);
  return { server, catalog, wire: await Wire.open(server) };
}

const manifest = (name: string, description = 'Does it'): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n`;

async function problemsOf(files: Record<string, string>, options: SkillCatalogOptions = {}): Promise<SkillProblem[]> {
  const problems: SkillProblem[] = [];
  await SkillCatalog.load(memorySkillFiles(files), { ...options, onproblem: (problem) => problems.push(problem) });
  return problems;
}

describe('a server with skills', () => {
  test('declares them, and resources; without them, neither', async () => {
    const { wire } = await served();
    const declared = await wire.declared(stateless);
    expect(declared.extensions).toEqual({ [ID]: { directoryRead: true } });
    expect(declared.resources).toBeDefined();
    const plain = await Wire.open(new McpServer({ name: 'plain', version: '1.0' }));
    expect(await plain.declared(stateless)).not.toHaveProperty('extensions');
    expect((await plain.error('skills/list', {}, stateless)).code).toBe(-32601);
  });

  test('lists every skill with its front matter and all its files, to a client that has declared nothing', async () => {
    const { wire } = await served();
    const result = await wire.result('skills/list', {}, stateless);
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
    const skills = result.skills as Skill[];
    expect(skills.map(({ uri }) => uri)).toEqual([
      'skill://pdf-processing/SKILL.md',
      'skill://pdf-processing/merging/SKILL.md',
      'skill://release-notes/SKILL.md',
    ]);
    expect(skills[0]?.frontmatter).toEqual({
      name: 'pdf-processing',
      description: 'Extract, fill, and assemble PDF documents',
      metadata: { version: '2.1' },
      'allowed-tools': 'Bash(pdf:*) Read',
    });
    // What is inside belongs to it too; what hides does not.
    const resources = skills[0]?.resources as { uri: string }[];
    expect(resources.map(({ uri }) => uri).sort()).toEqual([
      'skill://pdf-processing/SKILL.md',
      'skill://pdf-processing/logo.png',
      'skill://pdf-processing/merging/SKILL.md',
      'skill://pdf-processing/references/FORMS.md',
      'skill://pdf-processing/references/deep/%C3%BCmlaut%20name.txt',
    ]);
    expect(resources.find(({ uri }) => uri.endsWith('.txt'))).toEqual({
      uri: 'skill://pdf-processing/references/deep/%C3%BCmlaut%20name.txt',
      digest: 'sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
      size: 1,
    });
  });

  test('gives pages whose cursors end, and refuses a cursor of something else', async () => {
    const { wire } = await served({ pageSize: 1 });
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await wire.result('skills/list', cursor === undefined ? {} : { cursor }, stateless);
      uris.push(...page.skills.map(({ uri }: Skill) => uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined && uris.length < 10);
    expect(uris).toHaveLength(3);
    for (const wrong of ['nonsense', btoa('directory skill://x y'), 1])
      expect((await wire.error('skills/list', { cursor: wrong }, stateless)).code).toBe(-32602);
  });

  test('gets one by its URI, and answers -32602 for what is none', async () => {
    const { wire, catalog } = await served({ cacheHint: { ttlMs: 5000, cacheScope: 'public' } });
    const result = await wire.result('skills/get', { uri: PDF }, stateless);
    expect(result).toEqual(
      expect.objectContaining({ skill: catalog.entries[0], ttlMs: 5000, cacheScope: 'public', resultType: 'complete' }),
    );
    expect(result).not.toHaveProperty('nextCursor');
    for (const uri of ['skill://nothing/SKILL.md', 'skill://pdf-processing/references/FORMS.md', 7])
      expect((await wire.error('skills/get', { uri }, stateless)).code).toBe(-32602);
  });

  test('serves the files as resources: text byte for byte, anything else as base64', async () => {
    const { wire } = await served();
    const read = async (uri: string) => (await wire.result('resources/read', { uri }, stateless)).contents[0];
    expect(await read('skill://pdf-processing/references/FORMS.md')).toEqual({
      uri: 'skill://pdf-processing/references/FORMS.md',
      mimeType: 'text/markdown',
      text: '\uFEFFFill the fields.\r\n',
    });
    expect(await read('skill://pdf-processing/references/deep/%C3%BCmlaut%20name.txt')).toMatchObject({ text: 'x' });
    expect(await read('skill://pdf-processing/logo.png')).toMatchObject({ mimeType: 'image/png', blob: 'iVBOR/8A' });
    for (const uri of ['skill://pdf-processing/.env', 'skill://pdf-processing/none', 'skill://pdf-processing'])
      expect((await wire.error('resources/read', { uri }, stateless)).code).toBe(-32602);
  });

  test('lists each SKILL.md among the resources, under the name and description of its front matter', async () => {
    const { wire } = await served();
    const { resources } = await wire.result('resources/list', {}, stateless);
    expect(resources).toContainEqual({
      uri: PDF,
      name: 'pdf-processing',
      description: 'Extract, fill, and assemble PDF documents',
      mimeType: 'text/markdown',
      size: expect.any(Number),
    });
    expect(resources).toHaveLength(3);
  });

  test('reads directories, each one level deep, and answers -32602 for what is none', async () => {
    const { wire } = await served();
    const read = async (uri: string) => (await wire.result('resources/directory/read', { uri }, stateless)).resources;
    expect((await read('skill://pdf-processing')).map(({ name, mimeType }: any) => [name, mimeType])).toEqual([
      ['SKILL.md', 'text/markdown'],
      ['logo.png', 'image/png'],
      ['merging', 'inode/directory'],
      ['references', 'inode/directory'],
    ]);
    expect((await read('skill://pdf-processing/references/deep')).map(({ name }: any) => name)).toEqual([
      'ümlaut name.txt',
    ]);
    for (const uri of [PDF, 'skill://pdf-processing/', 'skill://nothing'])
      expect((await wire.error('resources/directory/read', { uri }, stateless)).code).toBe(-32602);
  });

  test.each([newestHandshake, oldestHandshake])('serves them in a handshake of $id as well', async (revision) => {
    const { wire } = await served();
    const { capabilities } = await wire.handshake(revision);
    expect(capabilities.extensions).toEqual({ [ID]: { directoryRead: true } });
    const result = await wire.result('skills/list', {}, revision);
    expect(result.skills).toHaveLength(3);
    expect(result).not.toHaveProperty('ttlMs');
  });

  test('tells clients of what a reload has changed', async () => {
    const files = skillFiles();
    const { wire, catalog } = await served({ prefix: 'acme' }, files);
    wire.start('subscriptions/listen', { notifications: { resourcesListChanged: true } }, stateless);
    await wire.notification('notifications/subscriptions/acknowledged');
    files['release-notes/SKILL.md'] = manifest('release-notes', 'Writes better notes');
    files['new-one/SKILL.md'] = manifest('new-one');
    delete files['pdf-processing/merging/SKILL.md'];
    expect(await catalog.reload()).toEqual({
      added: ['skill://acme/new-one/SKILL.md'],
      removed: ['skill://acme/pdf-processing/merging/SKILL.md'],
      changed: ['skill://acme/pdf-processing/SKILL.md', 'skill://acme/release-notes/SKILL.md'],
    });
    await wire.notification('notifications/resources/list_changed');
    expect(await catalog.reload()).toEqual({ added: [], removed: [], changed: [] });
  });

  test('does not serve content that is no longer what it published', async () => {
    const files = skillFiles();
    const { wire, catalog } = await served({}, files);
    files['release-notes/SKILL.md'] = manifest('release-notes', 'Changed since');
    const uri = 'skill://release-notes/SKILL.md';
    expect((await wire.error('resources/read', { uri }, stateless)).code).toBe(-32603);
    await catalog.reload();
    expect((await wire.result('resources/read', { uri }, stateless)).contents[0].text).toContain('Changed since');
  });
});

describe('what is not a skill', () => {
  test.each([
    [{ 'a/SKILL.md': 'text' }, /does not begin with front matter/],
    [{ 'a/SKILL.md': '---\nname: a\n' }, /not closed/],
    [{ 'a/SKILL.md': '---\nname: [\n---\n' }, /Line 2/],
    [{ 'a/SKILL.md': '---\njust text\n---\n' }, /not a map/],
    [{ 'a/SKILL.md': '---\nname: a\n---\n' }, /description/],
    [{ 'a/SKILL.md': manifest('b') }, /must be named "b"/],
    [{ 'A--b/SKILL.md': manifest('A--b') }, /lower-case/],
    [{ 'SKILL.md': manifest('a') }, /folder of its own/],
  ])('is not served, and said to be wrong: %j', async (files, why) => {
    const problems = await problemsOf(files as Record<string, string>);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(why);
    await expect(
      SkillCatalog.load(memorySkillFiles(files as Record<string, string>), { strict: true }),
    ).rejects.toThrow(why);
  });

  test('is one with too many files or bytes', async () => {
    const files = { 'a/SKILL.md': manifest('a'), 'a/b': 'x'.repeat(100) };
    expect((await problemsOf(files, { limits: { files: 1 } }))[0]?.message).toContain('2 files');
    expect((await problemsOf(files, { limits: { bytes: 100 } }))[0]?.message).toContain('100 bytes');
    expect(await problemsOf(files)).toEqual([]);
  });
});

describe('a source of the program', () => {
  const dynamic: Skill = {
    uri: 'report://reports/daily/SKILL.md',
    frontmatter: { name: 'daily', description: 'Reports' },
    resources: 'dynamic',
  };

  test('serves what it makes, under its own scheme and without directories', async () => {
    const server = new McpServer({ name: 'own', version: '1.0' });
    new SkillsExtension({
      baseUri: 'report://reports/',
      source: {
        list: () => ({ skills: [] }),
        get: (uri) => (uri === dynamic.uri ? dynamic : undefined),
        read: (uri) => (uri === dynamic.uri ? { text: manifest('daily'), mimeType: 'text/markdown' } : undefined),
      },
    }).attach(server);
    const wire = await Wire.open(server);
    expect((await wire.declared(stateless)).extensions).toEqual({ [ID]: {} });
    expect((await wire.result('skills/list', {}, stateless)).skills).toEqual([]);
    expect((await wire.result('skills/get', { uri: dynamic.uri }, stateless)).skill).toEqual(dynamic);
    expect((await wire.result('resources/read', { uri: dynamic.uri }, stateless)).contents[0].text).toContain('daily');
    expect((await wire.error('resources/directory/read', { uri: 'report://reports' }, stateless)).code).toBe(-32601);
  });

  test('is not let through when what it gives is no entry', async () => {
    const server = new McpServer({ name: 'own', version: '1.0' });
    const wrong = { ...dynamic, resources: undefined } as unknown as Skill;
    new SkillsExtension({
      source: { list: () => ({ skills: [wrong] }), get: () => wrong, read: () => undefined },
    }).attach(server);
    const wire = await Wire.open(server);
    expect((await wire.error('skills/list', {}, stateless)).code).toBe(-32603);
    expect((await wire.error('skills/get', { uri: dynamic.uri }, stateless)).code).toBe(-32603);
  });

  test('has a base that URIs can begin with', () => {
    const source = { list: () => ({ skills: [] }), get: () => undefined, read: () => undefined };
    for (const baseUri of ['skill:', 'skill://a b/', 'nothing'])
      expect(() => new SkillsExtension({ source, baseUri })).toThrow(TypeError);
  });
});

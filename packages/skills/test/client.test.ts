import { afterEach, describe, expect, test } from 'vitest';
import type { Client } from 'crosspoint/client';
import { approvalKey, SkillsClient, SkillVerificationError, skillsExtension } from '../src/client/index.ts';
import { memorySkillFiles, SkillCatalog, SkillsExtension, type Skill } from '../src/server/index.ts';
import { McpServer } from 'crosspoint/server';
import { connectLinked, type Linked } from 'crosspoint/testing';
import { everyRevision } from '../../crosspoint/test/server/wire.ts';
import { PDF_MANIFEST, skillFiles } from './fixtures.ts';

const open: Linked[] = [];
afterEach(async () => {
  for (const linked of open.splice(0)) await linked.close();
});

async function linkTo(server: McpServer, revision?: string): Promise<Linked> {
  const linked = await connectLinked(server, {
    extensions: [{ extension: skillsExtension }],
    ...(revision !== undefined && { revision }),
  });
  open.push(linked);
  return linked;
}

async function honest(revision?: string): Promise<Linked & { skills: SkillsClient }> {
  const server = new McpServer({ name: 'skilled', version: '1.0' });
  (await SkillCatalog.load(memorySkillFiles(skillFiles()), { pageSize: 2 })).attach(server);
  const linked = await linkTo(server, revision);
  return { ...linked, skills: new SkillsClient(linked.client) };
}

const sent = ({ recorder }: Linked): unknown[] =>
  recorder.lines.flatMap((line) => (line.startsWith('→') ? (/"method":"([^"]+)"/.exec(line)?.[1] ?? []) : []));

const reads = (linked: Linked): unknown[] => sent(linked).filter((method) => method === 'resources/read');

/** A server that says one thing in its entries and another in its files. */
async function lying(change: {
  entry?: Partial<Skill>;
  text?: string;
  ttlMs?: number;
}): Promise<Linked & { skills: SkillsClient; skill: Skill }> {
  const { entries } = await SkillCatalog.load(memorySkillFiles(skillFiles()));
  const skill = { ...entries[0], ...change.entry } as Skill;
  const server = new McpServer({ name: 'liar', version: '1.0' });
  new SkillsExtension({
    source: {
      list: () => ({ skills: [skill] }),
      get: () => skill,
      read: (uri) => ({ text: uri === skill.uri ? (change.text ?? PDF_MANIFEST) : 'other' }),
    },
    ...(change.ttlMs !== undefined && { cacheHint: { ttlMs: change.ttlMs } }),
  }).attach(server);
  const linked = await linkTo(server);
  return { ...linked, skills: new SkillsClient(linked.client), skill };
}

async function refusal(read: Promise<unknown>): Promise<SkillVerificationError> {
  const error: unknown = await read.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(SkillVerificationError);
  return error as SkillVerificationError;
}

describe.each(everyRevision)('skills of a server in %s', (id) => {
  test('are listed without reading a file, and read when they are wanted', async () => {
    const linked = await honest(id);
    const { skills } = linked;
    expect(skills.supported).toBe(true);
    expect(skills.directoryRead).toBe(true);
    const listing = await skills.list();
    expect(listing.skills.map(({ frontmatter }) => frontmatter.name)).toEqual([
      'pdf-processing',
      'merging',
      'release-notes',
    ]);
    expect(reads(linked)).toEqual([]);
    const [pdf] = listing.skills;
    expect(pdf && (await skills.read(pdf))).toMatchObject({
      uri: pdf?.uri,
      verified: true,
      frontmatter: pdf?.frontmatter,
      body: '\n# PDF processing\n',
    });
    expect(reads(linked)).toHaveLength(1);
    expect(await skills.get('skill://release-notes/SKILL.md')).toEqual(listing.skills[2]);
    expect((await skills.readDirectory('skill://pdf-processing')).map(({ name }) => name)).toContain('references');
  });
});

describe('a file of a skill', () => {
  test('is found by its path or URI, however either is encoded', async () => {
    const { skills } = await honest();
    const pdf = await skills.get('skill://pdf-processing/SKILL.md');
    for (const reference of [
      'references/deep/ümlaut name.txt',
      './references/deep/%C3%BCmlaut%20name.txt#part',
      'references/../references/deep/ümlaut%20name.txt',
      'skill://pdf-processing/references/deep/ümlaut%20name.txt',
    ])
      expect((await skills.read(pdf, reference)).text, reference).toBe('x');
    const logo = await skills.read(pdf, 'logo.png');
    expect([...logo.bytes]).toEqual([137, 80, 78, 71, 255, 0]);
    expect(logo.text).toBeUndefined();
    expect((await skills.read(pdf, 'references/FORMS.md')).text).toBe('\uFEFFFill the fields.\r\n');
  });

  test('that is not listed is refused before the server is asked', async () => {
    const linked = await honest();
    const { skills } = linked;
    const pdf = await skills.get('skill://pdf-processing/SKILL.md');
    for (const reference of [
      'none.md',
      '../release-notes/SKILL.md',
      'skill://release-notes/SKILL.md',
      'references%2FFORMS.md',
      'references/%2e%2e/../../x',
      'https://example.com/SKILL.md',
      '',
    ])
      expect((await refusal(skills.read(pdf, reference))).reason, reference).toBe('unlisted');
    expect(reads(linked)).toEqual([]);
  });

  test.each([
    ['size', { text: `${PDF_MANIFEST}more` }],
    ['digest', { text: PDF_MANIFEST.replace('# PDF', '# pdf') }],
    ['frontmatter', { entry: { frontmatter: { name: 'pdf-processing', description: 'Harmless' } } }],
  ] as const)('whose %s is not as listed is refused, and nothing else is read', async (reason, change) => {
    const linked = await lying(change);
    const { skills, skill } = linked;
    const error = await refusal(skills.read(skill));
    expect(error.reason).toBe(reason);
    expect(error.uri).toBe(skill.uri);
    if (reason === 'frontmatter') expect(error.differences).toEqual(['description', 'metadata', 'allowed-tools']);
    expect(reads(linked)).toHaveLength(1);
  });

  test('of a dynamic skill is not compared, but its front matter is', async () => {
    const { skills, skill } = await lying({ entry: { resources: 'dynamic' } });
    expect(await skills.read(skill)).toMatchObject({ verified: false, body: '\n# PDF processing\n' });
    expect((await skills.read(skill, 'any/file.md')).text).toBe('other');
    const changed = await lying({
      entry: { resources: 'dynamic' },
      text: PDF_MANIFEST.replace('Extract', 'Exfiltrate'),
    });
    expect((await refusal(changed.skills.read(changed.skill))).differences).toEqual(['description']);
    const none = await lying({ entry: { resources: 'dynamic' }, text: 'no front matter' });
    expect((await refusal(none.skills.read(none.skill))).reason).toBe('frontmatter');
    expect((await refusal(skills.read(skill, '../x'))).reason).toBe('unlisted');
  });

  test('of a skill that is too large is not asked for', async () => {
    const linked = await honest();
    const skills = new SkillsClient(linked.client, { limits: { files: 3 } });
    const pdf = await skills.get('skill://pdf-processing/SKILL.md');
    const error = await refusal(skills.read(pdf));
    expect(error.reason).toBe('limit');
    expect(error.message).toContain('5 files');
    expect(reads(linked)).toEqual([]);
  });

  test('that was remembered and is no longer right is read anew, once', async () => {
    const files = skillFiles();
    const server = new McpServer({ name: 'skilled', version: '1.0' });
    const catalog = await SkillCatalog.load(memorySkillFiles(files), { cacheHint: { ttlMs: 600_000 } });
    catalog.attach(server);
    const linked = await linkTo(server);
    const skills = new SkillsClient(linked.client);
    const uri = 'skill://release-notes/SKILL.md';
    await skills.read(await skills.get(uri));
    await skills.read(await skills.get(uri));
    expect(reads(linked)).toHaveLength(1);
    files['release-notes/SKILL.md'] = '---\nname: release-notes\ndescription: New\n---\n';
    await catalog.reload();
    expect((await skills.read(await skills.get(uri))).frontmatter).toEqual({
      name: 'release-notes',
      description: 'New',
    });
  });
});

describe('entries', () => {
  const good: Skill = {
    uri: 'skill://a/SKILL.md',
    frontmatter: { name: 'a', description: 'A' },
    resources: [{ uri: 'skill://a/SKILL.md', digest: `sha256:${'0'.repeat(64)}`, size: 1 }],
  };
  const [file] = good.resources as { uri: string; digest: string; size: number }[];

  /** A client whose server answers whatever it is told to. */
  async function answered(result: object): Promise<Client> {
    const server = new McpServer(
      { name: 'raw', version: '1.0' },
      { capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } } },
    );
    server.server.setRequestHandler('skills/list', () => ({ ...result }));
    server.server.setRequestHandler('skills/get', () => ({ ...result }));
    return (await linkTo(server)).client;
  }

  test.each([
    [{ ...good, uri: 'skill://a/README.md' }, 'its uri'],
    [{ ...good, uri: 'skill://b/SKILL.md' }, 'not named'],
    [{ ...good, frontmatter: { name: 'a' } }, 'description'],
    [{ ...good, resources: undefined }, 'neither a list'],
    [{ ...good, resources: [] }, 'not among'],
    [{ ...good, resources: [file, file] }, 'twice'],
    [{ ...good, resources: [file, { ...file, uri: 'skill://b/x' }] }, 'not inside'],
    [{ ...good, resources: [file, { ...file, uri: 'skill://a/../b' }] }, 'not inside'],
    [{ ...good, resources: [{ ...file, digest: 'sha256:XYZ' }] }, 'digest'],
    [{ ...good, resources: [{ ...file, size: -1 }] }, 'size'],
    ['text', 'not an object'],
  ])('that are not valid are refused, or left out and named: %j', async (entry, why) => {
    const client = await answered({
      skills: [good, entry].slice(entry === 'text' || (entry as Skill).uri !== good.uri ? 0 : 1),
      skill: entry,
    });
    await expect(new SkillsClient(client).list()).rejects.toThrow(why);
    const { skills, invalid } = await new SkillsClient(client, { skipInvalid: true }).list();
    expect(invalid[0]?.reason).toContain(why);
    expect(skills.every((skill) => skill.uri === good.uri)).toBe(true);
    await expect(new SkillsClient(client).read(entry as Skill)).rejects.toThrow(TypeError);
  });

  test('with one URI are none', async () => {
    const client = await answered({ skills: [good, good] });
    const { skills, invalid } = await new SkillsClient(client, { skipInvalid: true }).list();
    expect(skills).toEqual([]);
    expect(invalid).toHaveLength(2);
  });

  test('of another skill than was asked for are refused, and so are pages without end', async () => {
    const client = await answered({ skill: good, skills: [], nextCursor: 'again' });
    await expect(new SkillsClient(client).get('skill://b/SKILL.md')).rejects.toThrow('another skill');
    await expect(new SkillsClient(client).list()).rejects.toThrow('never end');
  });

  test('are none for a server without skills, and its methods are not sent', async () => {
    const server = new McpServer({ name: 'plain', version: '1.0' });
    const linked = await linkTo(server);
    const skills = new SkillsClient(linked.client);
    expect(skills.supported).toBe(false);
    expect(await skills.list()).toEqual({ skills: [], invalid: [] });
    await expect(skills.get(good.uri)).rejects.toThrow('has not declared the extension');
    await expect(skills.readDirectory('skill://a')).rejects.toThrow('has not declared directoryRead');
    expect(sent(linked).filter((method) => /skills|directory/.test(String(method)))).toEqual([]);
  });

  test('have a key for approvals that changes with any file, and none when they are dynamic', async () => {
    const key = await approvalKey(good);
    expect(key).toMatch(/^sha256:/);
    expect(await approvalKey({ ...good, resources: (good.resources as object[]).toReversed() as [] })).toBe(key);
    expect(await approvalKey({ ...good, resources: [{ ...file!, digest: `sha256:${'1'.repeat(64)}` }] })).not.toBe(key);
    expect(await approvalKey({ ...good, resources: 'dynamic' })).toBeUndefined();
  });
});

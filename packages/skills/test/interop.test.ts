import { Client as OfficialClient, InMemoryTransport } from '@modelcontextprotocol/client';
import { SkillsClient as OfficialSkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { McpServer as OfficialServer } from '@modelcontextprotocol/server';
import {
  memorySkillFiles as officialFiles,
  SkillsExtension as OfficialSkills,
} from '@modelcontextprotocol/server/ext/skills';
import { expect, test } from 'vitest';
import { SkillsClient, skillsExtension } from '../src/client/index.ts';
import { memorySkillFiles, SkillCatalog } from '../src/server/index.ts';
import { McpServer } from 'crosspoint/server';
import { connectLinked } from 'crosspoint/testing';
import { skillFiles } from './fixtures.ts';

const info = { name: 'skilled', version: '1.0.0' };
const { 'pdf-processing/.env': _hidden, 'readme.md': _readme, ...files } = skillFiles();

test('the official client lists, reads and verifies our skills', async () => {
  const server = new McpServer(info);
  (await SkillCatalog.load(memorySkillFiles(files))).attach(server);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new OfficialClient({ name: 'official', version: '1.0.0' });
  await server.connect(far as never);
  await client.connect(near);
  try {
    const skills = new OfficialSkillsClient(client);
    expect(skills.supported).toBe(true);
    const { skills: entries } = await skills.list();
    expect(entries).toHaveLength(3);
    const manifest = await skills.read(entries[0]!);
    expect(manifest).toMatchObject({ verified: true, frontmatter: entries[0]?.frontmatter });
    expect((await skills.read(entries[0]!, 'references/deep/ümlaut name.txt')).verified).toBe(true);
    expect((await skills.readDirectory('skill://pdf-processing/references')).resources).toHaveLength(2);
  } finally {
    await client.close();
  }
});

test('our client lists, reads and verifies the skills of the official server', async () => {
  const server = new OfficialServer(info);
  (await OfficialSkills.load(officialFiles(files))).attach(server);
  const { client, close } = await connectLinked(server as never, { extensions: [{ extension: skillsExtension }] });
  try {
    const skills = new SkillsClient(client);
    expect(skills.supported).toBe(true);
    const { skills: entries } = await skills.list();
    const ours = await SkillCatalog.load(memorySkillFiles(files));
    const sorted = (list: typeof entries) =>
      list.map((entry) => [entry.uri, entry.frontmatter, new Set(entry.resources as object[])]);
    expect(sorted(entries)).toEqual(sorted(ours.entries));
    for (const entry of entries) expect(await skills.read(entry)).toMatchObject({ verified: true });
    expect((await skills.read(entries[0]!, 'logo.png')).verified).toBe(true);
    expect((await skills.readDirectory('skill://pdf-processing/references')).map(({ name }) => name)).toContain(
      'FORMS.md',
    );
  } finally {
    await close();
  }
});

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadSkills, nodeSkillFiles } from '../src/server/skill-files-node.ts';
import type { SkillProblem } from '../src/server/scan-skills.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skills-'));
  await mkdir(join(root, 'skills', 'good', 'sub'), { recursive: true });
  await writeFile(join(root, 'skills', 'good', 'SKILL.md'), '---\nname: good\ndescription: Is good\n---\n');
  await writeFile(join(root, 'skills', 'good', 'sub', 'a.txt'), 'a');
  await writeFile(join(root, 'secret.txt'), 'secret');
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('skills are found in a folder', async () => {
  const { entries } = await loadSkills(join(root, 'skills'));
  expect(entries.map(({ uri }) => uri)).toEqual(['skill://good/SKILL.md']);
  expect(entries[0]?.resources).toHaveLength(2);
});

test('a folder that is not there is an error', async () => {
  await expect(loadSkills(join(root, 'none'))).rejects.toThrow('ENOENT');
});

test('a skill with a link in it is not served, wherever the link leads', async () => {
  await symlink(join(root, 'secret.txt'), join(root, 'skills', 'good', 'sub', 'link.txt'));
  const problems: SkillProblem[] = [];
  const { entries } = await loadSkills(join(root, 'skills'), { onproblem: (problem) => problems.push(problem) });
  expect(entries).toEqual([]);
  expect(problems[0]?.message).toContain('good/sub/link.txt');
});

test('nothing outside the folder is read: not by climbing, not through a link', async () => {
  await symlink(root, join(root, 'skills', 'out'));
  await symlink(join(root, 'secret.txt'), join(root, 'skills', 'good', 'link.txt'));
  const files = nodeSkillFiles(join(root, 'skills'));
  for (const path of [
    '../secret.txt',
    'good/../../secret.txt',
    'out/secret.txt',
    'good/link.txt',
    './good/SKILL.md',
    'a\0b',
  ])
    await expect(files.read(path), path).rejects.toThrow(TypeError);
  await expect(files.list('..')).rejects.toThrow(TypeError);
  await expect(files.list('out')).rejects.toThrow(TypeError);
  await expect(files.read('good/sub')).rejects.toThrow();
  expect(new TextDecoder().decode(await files.read('good/sub/a.txt'))).toBe('a');
});

test('a file beyond the limit is not read into memory', async () => {
  await expect(nodeSkillFiles(join(root, 'skills')).read('good/SKILL.md', 5)).rejects.toThrow('limit');
});

import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CreateError, createProject } from '../src/index.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'crosspoint-create-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();

function refusal(folder: string): string {
  try {
    createProject({ folder });
  } catch (error) {
    expect(error).toBeInstanceOf(CreateError);
    return (error as Error).message;
  }
  throw new Error(`${folder} was not refused.`);
}

describe('a project', () => {
  it('is a server in TypeScript over stdio unless more is said, and names what was written', () => {
    const folder = join(root, 'deep', 'weather');
    const made = createProject({ folder });
    expect(made).toMatchObject({ name: 'weather', folder });
    expect(made.next).toContain('weather is an MCP server in TypeScript over stdio.');
    expect(filesIn(folder)).toEqual([...made.files].sort());
    expect(made.files).toContain('.gitignore');
  });

  it('has its own name wherever the template has one', () => {
    const folder = join(root, 'weather');
    for (const file of createProject({ folder, transport: 'http' }).files)
      expect(readFileSync(join(folder, file), 'utf8'), file).not.toContain('crosspoint-project');
    expect(JSON.parse(readFileSync(join(folder, '.vscode/mcp.json'), 'utf8'))).toEqual({
      servers: { weather: { type: 'http', url: 'http://127.0.0.1:3000/mcp' } },
    });
  });

  it('needs the crosspoint of its own version', () => {
    const folder = join(root, 'weather');
    createProject({ folder });
    const read = (file: string | URL): { version: string; dependencies: Record<string, string> } =>
      JSON.parse(readFileSync(file, 'utf8')) as never;
    const { version } = read(new URL('../../crosspoint/package.json', import.meta.url));
    expect(read(join(folder, 'package.json')).dependencies['crosspoint']).toBe(`^${version}`);
  });

  it('goes into a folder that is empty, or is a repository without files', () => {
    mkdirSync(join(root, 'empty'));
    mkdirSync(join(root, 'cloned', '.git'), { recursive: true });
    for (const name of ['empty', 'cloned']) expect(createProject({ folder: join(root, name) }).name).toBe(name);
  });
});

describe('refused, and nothing is written:', () => {
  it('a folder that has a file in it', () => {
    const folder = join(root, 'used');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), 'mine');
    expect(refusal(folder)).toMatch(/used is not empty: package\.json is in it\. Nothing was written/);
    expect(filesIn(folder)).toEqual(['package.json']);
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe('mine');
  });

  it('a path that is a file, or goes through one', () => {
    writeFileSync(join(root, 'file'), 'mine');
    expect(refusal(join(root, 'file'))).toMatch(/file is a file/);
    expect(refusal(join(root, 'file', 'below'))).toMatch(/below cannot be used: .*Choose another folder/);
  });

  it.each([
    ['My-Server', 'lower-case letters'],
    ['my server', 'lower-case letters'],
    ['"};alert(1)//', 'lower-case letters'],
    ['.hidden', 'begins with a letter'],
    ['_private', 'begins with a letter'],
    ['größe', 'lower-case letters'],
    ['crosspoint', 'a package that the project needs'],
    ['zod', 'a package that the project needs'],
    ['node_modules', 'reserved'],
    ['x'.repeat(101), 'it has 101 characters'],
  ])('the name %s', (name, why) => {
    const message = refusal(join(root, name));
    expect(message).toContain(why);
    expect(message).toContain('Choose another folder');
    expect(readdirSync(root)).toEqual([]);
  });
});

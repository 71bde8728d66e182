import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** The paths of the official SDK whose declarations hold the protocol's types, and the file that has its place here. */
const PATHS: Readonly<Record<string, string>> = {
  types: 'types',
  inMemory: 'in-memory',
  'shared/auth': 'shared/auth',
  'shared/auth-utils': 'shared/resource-url',
  'shared/mediaType': 'shared/media-type',
  'shared/metadataUtils': 'shared/display-name',
  'shared/protocol': 'shared/protocol',
  'shared/responseMessage': 'shared/response-message',
  'shared/stdio': 'shared/stdio',
  'shared/toolNameValidation': 'shared/tool-name',
  'shared/transport': 'shared/transport',
  'shared/uriTemplate': 'shared/uri-template',
  'validation/types': 'validation/types',
  'validation/index': 'validation/index',
  'validation/ajv-provider': 'validation/ajv-provider',
  'validation/cfworker-provider': 'validation/cfworker-provider',
  'experimental/tasks/types': 'experimental/tasks/types',
  'experimental/tasks/interfaces': 'experimental/tasks/interfaces',
  'experimental/tasks/helpers': 'experimental/tasks/task-capability',
  'experimental/tasks/client': 'experimental/tasks/client',
  'experimental/tasks/server': 'experimental/tasks/server',
  'experimental/tasks/mcp-server': 'experimental/tasks/mcp-server',
  'experimental/tasks/stores/in-memory': 'experimental/tasks/stores/in-memory',
  'server/zod-compat': 'server/zod-compat',
  'server/zod-json-schema-compat': 'server/zod-json-schema-compat',
};

const library = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const official = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/sdk/types.js'));
const { exports } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8')) as {
  exports: Record<string, string>;
};

/** The names that a module exports, types included, as its text declares them. */
function namesIn(text: string): string[] {
  const declared = text.matchAll(
    /^export (?:declare )?(?:abstract )?(?:const|function|async function|class|abstract class|enum|type|interface) (\w+)/gm,
  );
  const listed = text.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  const inLists = [...listed].flatMap(([, list = '']) =>
    list.split(',').map((item) =>
      item
        .trim()
        .replace(/^type /, '')
        .replace(/^.* as /, ''),
    ),
  );
  return [...new Set([...[...declared].map(([, name = '']) => name), ...inLists])].filter((name) => name !== '');
}

describe('the old paths of the protocol’s types', () => {
  it.each(Object.entries(PATHS))('%s has every name of the official one, types included', (theirs, ours) => {
    // The CommonJS and the ESM build declare the same; which one was resolved does not matter.
    const wanted = namesIn(readFileSync(join(official, `${theirs}.d.ts`), 'utf8'));
    const offered = namesIn(readFileSync(join(library, 'src', 'compat', `${ours}.ts`), 'utf8'));
    expect(wanted.length).toBeGreaterThan(0);
    expect(wanted.filter((name) => !offered.includes(name))).toEqual([]);
    expect(exports[`./${theirs}.js`]).toBe(`./dist/compat/${ours}.js`);
  });

  it.each([
    ['./validation', 'validation/index'],
    ['./validation/ajv', 'validation/ajv-provider'],
    ['./validation/cfworker', 'validation/cfworker-provider'],
    ['./experimental', 'experimental/tasks/index'],
    ['./experimental/tasks', 'experimental/tasks/index'],
  ])('%s is the shorter name of %s', (path, file) => {
    expect(exports[path]).toBe(`./dist/compat/${file}.js`);
  });

  it.each([
    ['types.js', () => import('@modelcontextprotocol/sdk/types.js'), () => import('crosspoint/types.js')],
    [
      'shared/protocol.js',
      () => import('@modelcontextprotocol/sdk/shared/protocol.js'),
      () => import('crosspoint/shared/protocol.js'),
    ],
    [
      'shared/auth.js',
      () => import('@modelcontextprotocol/sdk/shared/auth.js'),
      () => import('crosspoint/shared/auth.js'),
    ],
    [
      'experimental/tasks',
      () => import('@modelcontextprotocol/sdk/experimental/tasks'),
      () => import('crosspoint/experimental/tasks'),
    ],
    [
      'server/zod-compat.js',
      () => import('@modelcontextprotocol/sdk/server/zod-compat.js'),
      () => import('crosspoint/server/zod-compat.js'),
    ],
  ] as const)('%s exports values of the same kinds, as published', async (_path, official, own) => {
    const theirs: Record<string, unknown> = { ...(await official()) };
    const ours: Record<string, unknown> = { ...(await own()) };
    const kinds = (module: Record<string, unknown>): Record<string, string> =>
      Object.fromEntries(Object.keys(theirs).map((name) => [name, typeof module[name]]));
    expect(kinds(ours)).toEqual(kinds(theirs));
  });
});

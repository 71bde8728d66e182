import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PACKAGES, entriesOf, isInternal } from '../../../scripts/packages.mjs';
import { importsOf, readSource } from '../../crosspoint/test/architecture/source-text.ts';

const src = fileURLToPath(new URL('../src/', import.meta.url));
const published = PACKAGES.filter(({ name }) => name === 'crosspoint')
  .flatMap(entriesOf)
  .filter(({ specifier }) => !isInternal(specifier));

it('stands on the public entries of crosspoint, zod with its converter, Express with its limiter and its own files alone', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const specifiers = files.flatMap((path) =>
    importsOf(readSource(readFileSync(join(src, path), 'utf8'))).map(({ specifier }) => specifier),
  );
  const allowed = new Set([
    ...published.map(({ specifier }) => specifier),
    'zod',
    'zod/v3',
    'zod/v4',
    'zod/v4-mini',
    'zod/v4/core',
    'zod-to-json-schema',
    'express',
    'express-rate-limit',
    'node:crypto',
    'node:stream',
  ]);
  expect(specifiers.length).toBeGreaterThan(200);
  expect([...new Set(specifiers)].filter((specifier) => !specifier.startsWith('.') && !allowed.has(specifier))).toEqual(
    [],
  );
  expect(specifiers.filter((specifier) => specifier.includes('crosspoint/src'))).toEqual([]);
});

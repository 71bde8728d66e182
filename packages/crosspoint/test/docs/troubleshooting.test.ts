import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULT_CODES } from '../../src/protocol/errors.ts';
import { ROOT } from './doc-blocks.ts';

const page = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');
const headings: readonly string[] = page.match(/^### .*$/gm) ?? [];

/** The texts that a type of the sources consists of. */
function members(file: string, type: string): string[] {
  const source = readFileSync(join(ROOT, 'packages/crosspoint/src', file), 'utf8');
  const declaration = new RegExp(`export type ${type} =([\\s\\S]*?);`).exec(source)?.[1] ?? '';
  const code = declaration.replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(/'([^']+)'/g)].map(([, member = '']) => member);
}

describe('the page on troubleshooting', () => {
  it.each([
    ['protocol/errors.ts', 'FaultKind'],
    ['protocol/errors.ts', 'TransportErrorCode'],
    ['auth/client/flow-error.ts', 'AuthFault'],
    ['auth/oauth-error.ts', 'OAuthErrorCode'],
    ['schema/schema-error.ts', 'SchemaErrorCode'],
  ])('has a heading for every member of %s %s', (file, type) => {
    const codes = members(file, type);
    expect(codes.length).toBeGreaterThan(3);
    expect(codes.filter((code) => !headings.some((heading) => heading.endsWith(`\`${code}\``)))).toEqual([]);
  });

  it('gives the number of every kind that has one of its own', () => {
    const shared = new Set<string>(['cannot-ask', 'state-refused', 'diverged']);
    const own = Object.entries(FAULT_CODES).filter(([kind]) => !shared.has(kind));
    expect(own.filter(([kind, code]) => !headings.includes(`### ${code} \`${kind}\``))).toEqual([]);
  });

  it('has a heading for every HTTP status that the guide on HTTP lists', () => {
    const http = readFileSync(join(ROOT, 'docs/http.md'), 'utf8');
    const table = /## Status codes\n\n([\s\S]*?)\n\n##/.exec(http)?.[1] ?? '';
    const statuses = [...table.matchAll(/\b([45]\d\d)\b(?=[, |])/g)].map(([, status]) => status);
    expect(statuses.length).toBeGreaterThan(8);
    expect(statuses.filter((status) => !headings.includes(`### ${status}`))).toEqual([]);
  });

  it('has every fault of an address that is not loaded', () => {
    const faults = members('auth/outbound/outbound-error.ts', 'OutboundFault');
    expect(faults.length).toBeGreaterThan(3);
    const section = page.slice(page.indexOf('### Addresses that are not loaded'), page.indexOf('## OAuth errors'));
    expect(faults.filter((fault) => !section.includes(`\`${fault}\``))).toEqual([]);
  });
});

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FAULT_CODES } from '../../src/protocol/errors.ts';
import { ROOT } from './doc-blocks.ts';
import { declaredErrors, thrownErrors, type MadeError } from './thrown-errors.ts';

const page = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');
const headings: readonly string[] = page.match(/^### .*$/gm) ?? [];

/** The texts that a type of the sources consists of. */
function members(file: string, type: string): string[] {
  const source = readFileSync(join(ROOT, 'packages', file), 'utf8');
  const declaration = new RegExp(`export type ${type} =([\\s\\S]*?);`).exec(source)?.[1] ?? '';
  const code = declaration.replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(/'([^']+)'/g)].map(([, member = '']) => member);
}

describe('the page on troubleshooting', () => {
  it.each([
    ['crosspoint/src/protocol/errors.ts', 'FaultKind'],
    ['crosspoint/src/protocol/errors.ts', 'TransportErrorCode'],
    ['crosspoint/src/auth/client/flow-error.ts', 'AuthFault'],
    ['crosspoint/src/auth/oauth-error.ts', 'OAuthErrorCode'],
    ['json-schema/src/schema-error.ts', 'SchemaErrorCode'],
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
    const faults = members('crosspoint/src/auth/outbound/outbound-error.ts', 'OutboundFault');
    expect(faults.length).toBeGreaterThan(3);
    const section = page.slice(page.indexOf('### Addresses that are not loaded'), page.indexOf('## OAuth errors'));
    expect(faults.filter((fault) => !section.includes(`\`${fault}\``))).toEqual([]);
  });
});

/** A word that is a kind, a code or a fault, such as `invalid-params`: no message. */
const isCode = (text: string): boolean => /^[a-z]+(?:[-_][a-z]+)*$/.test(text);

/** Every message by its class, with its code, as the page of messages lists them. */
function messagesPage(made: readonly MadeError[]): string {
  const byClass = new Map<string, Set<string>>();
  for (const { name, texts } of made) {
    const messages = byClass.get(name) ?? new Set();
    byClass.set(name, messages);
    const codes = texts.filter(isCode);
    const code = codes.length === 1 ? `\`${codes[0]}\`: ` : '';
    for (const text of texts)
      if (/[a-z…] [a-z…"]/i.test(text))
        messages.add(`- ${code}${text.replaceAll(/([<>{}|*_[\]`])/g, '\\$1').replaceAll('\n', ' ')}`);
  }
  const sections = [...byClass]
    .filter(([, messages]) => messages.size > 0)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, messages]) => `## ${name}\n\n${[...messages].toSorted().join('\n')}\n`);
  return `# Messages

Every message that the library writes itself, by the class of its error; \`…\` stands for what is filled in. [Troubleshooting](troubleshooting.md) explains the codes. This page is made from the sources by
\`npx vitest run packages/crosspoint/test/docs/troubleshooting.test.ts -u\`.

${sections.join('\n')}`;
}

/** Classes that no program meets: they are caught inside, and what becomes of them has another class. */
const INSIDE = ['ArgumentFault', 'InsufficientScopeFault', 'OAuthFault', 'PatternSyntaxError'];

describe('every error that the library makes', () => {
  const made = thrownErrors();

  it('is found in the sources', () => {
    expect(made.length).toBeGreaterThan(600);
    expect(new Set(made.map(({ name }) => name))).toContain('AuthFlowError');
  });

  it('has its class on the page', () => {
    const classes = new Set([...declaredErrors(), ...made.map(({ name }) => name)]);
    for (const name of INSIDE) classes.delete(name);
    expect([...classes].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it.each([
    ['ProtocolError', 'crosspoint/src/protocol/errors.ts', 'FaultKind'],
    ['TransportError', 'crosspoint/src/protocol/errors.ts', 'TransportErrorCode'],
    ['AuthFlowError', 'crosspoint/src/auth/client/flow-error.ts', 'AuthFault'],
    ['SchemaError', 'json-schema/src/schema-error.ts', 'SchemaErrorCode'],
    ['SkillVerificationError', 'skills/src/client/skill-verification-error.ts', 'SkillVerificationReason'],
  ])('%s has a code that the page has', (name, file, type) => {
    const known = members(file, type);
    const used = made.filter((one) => one.name === name).flatMap(({ texts }) => texts.slice(0, 1).filter(isCode));
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
    expect(known.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  });

  it('is a sentence that names more than itself', () => {
    const short = made
      .filter(({ name }) => name === 'TypeError' || name === 'RangeError')
      .flatMap(({ texts, file }) => texts.map((text) => ({ text, file })))
      .filter(
        ({ text, file }) =>
          text.length < 25 && !file.startsWith('authorization-server/src/clients/') && !text.endsWith(': ….'),
      );
    expect(short).toEqual([]);
  });

  it('says what is wrong with a thing, not only that something is', () => {
    const bare = made
      .flatMap(({ texts }) => texts)
      .filter((text) => /\b(?:is|are) (?:malformed|not valid|invalid|not supported|too long|too short)\.$/.test(text));
    expect(bare).toEqual([]);
  });

  it.each([500, 403, 404, 401])('is printed with a name that the page has, after an uncaught HTTP %i', (status) => {
    const program = `
      import { createServer } from 'node:http';
      import { Client } from ${JSON.stringify(pathToFileURL(join(ROOT, 'packages/crosspoint/dist/client/index.js')).href)};
      const http = createServer((_request, response) => response.writeHead(${status}).end('no')).listen(0, '127.0.0.1');
      await new Promise((resolve) => http.on('listening', resolve));
      http.unref();
      await new Client({ name: 'a', version: '1' }).connect('http://127.0.0.1:' + http.address().port + '/mcp');`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    const printed = /^(\w+Error)\b/m.exec(stderr)?.[1];
    expect(printed, stderr).toBeDefined();
    expect(page).toContain(`\`${printed}\``);
    const code = /^ {2}code: '([\w-]+)'/m.exec(stderr)?.[1];
    expect(headings.some((heading) => heading.endsWith(`\`${code}\``))).toBe(true);
  });

  it('is on the page of messages, with its words', async () => {
    await expect(messagesPage(made)).toMatchFileSnapshot(join(ROOT, 'docs/error-messages.md'));
  });
});

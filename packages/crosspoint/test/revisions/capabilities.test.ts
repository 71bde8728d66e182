import { describe, expect, it } from 'vitest';
import { revisions } from '../../src/revisions/index.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import { proves } from '../requirements/proves.ts';
import { faults, noSchemas, publishedDefinitions } from './published-schema.ts';
import { clientCapabilities, server, serverCapabilities } from './samples.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const [newest, d, c, b, a] = revisions as [Revision, Revision, Revision, Revision, Revision];
const { tasks: serverTasks, extensions: serverExtensions, completions, ...serverRest } = serverCapabilities;
const { experimental } = clientCapabilities;

describe('capabilities', () => {
  it.each([
    [newest, { ...serverRest, completions, extensions: serverExtensions }],
    [d, { ...serverRest, completions, tasks: serverTasks }],
    [c, { ...serverRest, completions }],
    [b, { ...serverRest, completions }],
    [a, serverRest],
  ] as const)('of a server in $id', (revision, expected) =>
    expect(revision.writeServerCapabilities(serverCapabilities)).toEqual(expected),
  );

  it.each([
    [
      newest,
      {
        roots: {},
        sampling: { context: {}, tools: {} },
        elicitation: { form: {}, url: {} },
        experimental,
        extensions: clientCapabilities['extensions'],
      },
    ],
    [
      d,
      {
        roots: { listChanged: true },
        sampling: { context: {}, tools: {} },
        elicitation: { form: {}, url: {} },
        experimental,
        tasks: clientCapabilities['tasks'],
      },
    ],
    [c, { roots: { listChanged: true }, sampling: {}, elicitation: {}, experimental }],
    [b, { roots: { listChanged: true }, sampling: {}, experimental }],
    [a, { roots: { listChanged: true }, sampling: {}, experimental }],
  ] as const)('of a client in $id', (revision, expected) =>
    expect(clientWordsOf(revision).writeClientCapabilities(clientCapabilities)).toEqual(expected),
  );

  proves('M-IOP-075').it('of tasks are the extension alone in the revision that has it', () => {
    expect(newest.writeServerCapabilities(serverCapabilities)).not.toHaveProperty('tasks');
    expect(
      newest.writeResult('server/discover', { kind: 'complete', result: { capabilities: serverCapabilities } }, server),
    ).not.toHaveProperty('capabilities.tasks');
  });

  it.each([
    [{}, {}],
    [{ form: {} }, {}],
    [{ form: {}, url: {} }, {}],
    [{ url: {} }, undefined],
  ])('of elicitation mean forms in 2025-06-18: %j', (elicitation, expected) =>
    expect(clientWordsOf(c).writeClientCapabilities({ elicitation })['elicitation']).toEqual(expected),
  );

  proves('L-SCHEMA-027').it.each(revisions)('that are experimental are objects in $id', (revision) => {
    const odd = { experimental: { a: true, b: { x: 1 }, c: 'yes', d: false, e: null } as never };
    for (const written of [revision.writeServerCapabilities(odd), clientWordsOf(revision).writeClientCapabilities(odd)])
      expect(written).toEqual({ experimental: { a: {}, b: { x: 1 }, c: {} } });
  });

  it.each(revisions)('keep keys nobody knows in $id', (revision) =>
    expect(revision.writeServerCapabilities({ own: {} } as object)).toEqual({ own: {} }),
  );
});

describe.each(revisions)('capabilities and introductions of $id', (revision) => {
  const defs = publishedDefinitions(revision.id);
  it.skipIf(!defs)(defs ? 'use only published words' : `(skipped: ${noSchemas})`, () => {
    const check = (name: string, value: unknown): string[] => faults(defs ?? {}, defs?.[name] ?? {}, value);
    expect(check('ServerCapabilities', revision.writeServerCapabilities(serverCapabilities))).toEqual([]);
    expect(check('ClientCapabilities', clientWordsOf(revision).writeClientCapabilities(clientCapabilities))).toEqual(
      [],
    );
    expect(check('Implementation', revision.writeImplementation(server))).toEqual([]);
  });
});

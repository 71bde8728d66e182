import { describe, expect, it } from 'vitest';
import { revisions } from '../../src/revisions/index.ts';
import { isSpecificationMethod } from '../../src/revisions/specification-methods.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import { proves } from '../requirements/proves.ts';
import { noSchemas, publishedDefinitions } from './published-schema.ts';

type Side = 'client' | 'server';

function sent(revision: Revision, side: Side, kind: 'request' | 'notification'): string[] {
  return [...revision.methods]
    .filter(([, info]) => info.kind === kind && (info.sender === side || info.sender === 'both'))
    .map(([method]) => method)
    .sort();
}

function revision(id: string): Revision {
  return revisions.find((candidate) => candidate.id === id)!;
}

const first = {
  client: [
    'ping',
    'initialize',
    'completion/complete',
    'logging/setLevel',
    'prompts/get',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'resources/subscribe',
    'resources/unsubscribe',
    'tools/call',
    'tools/list',
  ],
  server: ['ping', 'sampling/createMessage', 'roots/list'],
};
const tasks = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'];
const fromBoth = ['notifications/cancelled', 'notifications/progress'];
const fromClient = [...fromBoth, 'notifications/initialized', 'notifications/roots/list_changed'];
const fromServer = [
  ...fromBoth,
  'notifications/message',
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
];

function expectRequests(id: string, client: string[], server: string[]): void {
  expect(sent(revision(id), 'client', 'request')).toEqual([...client].sort());
  expect(sent(revision(id), 'server', 'request')).toEqual([...server].sort());
}

function expectNotifications(id: string, client: string[], server: string[]): void {
  expect(sent(revision(id), 'client', 'notification')).toEqual([...client].sort());
  expect(sent(revision(id), 'server', 'notification')).toEqual([...server].sort());
}

describe('the vocabulary', () => {
  proves('L-SCHEMA-007').it('has the first requests in 2024-11-05', () =>
    expectRequests('2024-11-05', first.client, first.server),
  );
  proves('L-SCHEMA-008').it('has the same requests in 2025-03-26', () =>
    expectRequests('2025-03-26', first.client, first.server),
  );
  proves('L-SCHEMA-009').it('gains elicitation in 2025-06-18', () =>
    expectRequests('2025-06-18', first.client, [...first.server, 'elicitation/create']),
  );
  proves('L-SCHEMA-010').it('gains tasks, both ways, in 2025-11-25', () =>
    expectRequests('2025-11-25', [...first.client, ...tasks], [...first.server, 'elicitation/create', ...tasks]),
  );

  proves('L-SCHEMA-011').it.each(['2024-11-05', '2025-03-26', '2025-06-18'])(
    'has the first notifications in %s',
    (id) => expectNotifications(id, fromClient, fromServer),
  );
  proves('L-SCHEMA-012').it('gains the status of tasks and the end of elicitation in 2025-11-25', () =>
    expectNotifications(
      '2025-11-25',
      [...fromClient, 'notifications/tasks/status'],
      [...fromServer, 'notifications/tasks/status', 'notifications/elicitation/complete'],
    ),
  );

  it('lets the server send no request in the per-request family', () =>
    expect(sent(revision('2026-07-28'), 'server', 'request')).toEqual([]));

  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'tasks/result',
    'tasks/get',
  ])('has no %s in 2026-07-28', (method) => {
    expect(revision('2026-07-28').methods.has(method)).toBe(false);
    expect(isSpecificationMethod(method)).toBe(true);
  });

  it('knows what no revision knows', () => {
    expect(isSpecificationMethod('acme/do')).toBe(false);
    expect(isSpecificationMethod('constructor')).toBe(false);
  });

  it.each(revisions)('lets exactly three methods of $id ask', ({ methods }) =>
    expect(
      [...methods]
        .filter(([, info]) => info.mayAsk)
        .map(([method]) => method)
        .sort(),
    ).toEqual(['prompts/get', 'resources/read', 'tools/call']),
  );

  it('has cacheable results in the per-request family only', () => {
    const cacheable = revisions.map(({ methods }) =>
      [...methods]
        .filter(([, info]) => info.cacheable)
        .map(([method]) => method)
        .sort(),
    );
    const six = [
      'prompts/list',
      'resources/list',
      'resources/read',
      'resources/templates/list',
      'server/discover',
      'tools/list',
    ];
    expect(cacheable).toEqual([six, [], [], [], []]);
  });

  it('needs no capability for completion before there was one', () => {
    expect(revision('2024-11-05').methods.get('completion/complete')?.needs).toBeUndefined();
    expect(revision('2025-03-26').methods.get('completion/complete')?.needs).toBe('completions');
  });
});

describe.each(revisions)('the vocabulary of $id beside the published schema', (subject) => {
  const defs = publishedDefinitions(subject.id);
  it.skipIf(!defs)(defs ? 'is the same' : `(skipped: ${noSchemas})`, () => {
    for (const side of ['client', 'server'] as const) {
      for (const kind of ['request', 'notification'] as const) {
        const union =
          defs?.[`${side === 'client' ? 'Client' : 'Server'}${kind === 'request' ? 'Request' : 'Notification'}`];
        const members =
          union === undefined
            ? []
            : (union['anyOf'] ?? [union]).map((member: any) =>
                member.$ref ? defs?.[member.$ref.split('/').at(-1)] : member,
              );
        expect(sent(subject, side, kind), `${side} ${kind}`).toEqual(
          members.map((member: any) => member.properties.method.const).sort(),
        );
      }
    }
  });
});

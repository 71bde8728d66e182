import { describe, expect, it } from 'vitest';
import { findRevision, newestOf, revisions } from '../../src/revisions/index.ts';
import { selectRevisions, type RevisionChoice } from '../../src/revisions/selection.ts';
import { proves } from '../requirements/proves.ts';

const ids = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

describe('the revisions', () => {
  it('are listed newest first', () => expect(revisions.map(({ id }) => id)).toEqual(ids));

  proves('L-LIFECYCLE-015').it('are found by opaque ids', () => {
    for (const id of ids) {
      expect(id).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(findRevision(id)?.id).toBe(id);
    }
    for (const id of [
      '',
      '2025-11-26',
      '2025-11',
      ' 2025-11-25',
      '2025-11-25T00:00',
      'DRAFT-2026',
      '1.0',
      'constructor',
    ])
      expect(findRevision(id)).toBeUndefined();
  });

  it('know the newest of each family', () => {
    expect(newestOf('per-request')?.id).toBe(ids[0]);
    expect(newestOf('handshake')?.id).toBe(ids[1]);
    expect(newestOf('handshake', revisions.slice(2))?.id).toBe(ids[2]);
    expect(newestOf('handshake', [])).toBeUndefined();
  });

  it.each([
    ['batches', [false, false, false, true, false]],
    ['unreadableId', [undefined, undefined, null, null, null]],
    ['argumentErrors', ['result', 'result', 'error', 'error', 'error']],
    ['family', ['per-request', 'handshake', 'handshake', 'handshake', 'handshake']],
  ] as const)('differ in %s', (key, values) => expect(revisions.map((revision) => revision[key])).toEqual(values));
});

describe('a choice of revisions', () => {
  it.each<[RevisionChoice, string[], string[]]>([
    ['all', ids, ['per-request', 'handshake']],
    ['handshake', ids.slice(1), ['handshake']],
    ['per-request', ids.slice(0, 1), ['per-request']],
    [
      ['2024-11-05', '2026-07-28', '2024-11-05'],
      ['2026-07-28', '2024-11-05'],
      ['per-request', 'handshake'],
    ],
  ])('%j', (choice, expected, families) => {
    const spoken = selectRevisions(choice);
    expect(spoken.ids).toEqual(expected);
    expect(spoken.all.map(({ id }) => id)).toEqual(expected);
    expect([...spoken.families]).toEqual(families);
    for (const id of ids) expect(spoken.find(id)?.id).toBe(expected.includes(id) ? id : undefined);
    for (const odd of [undefined, null, 7, {}]) expect(spoken.find(odd)).toBeUndefined();
    expect(spoken.newest('handshake')?.id).toBe(expected.find((id) => id !== ids[0]));
  });

  it('must be of something known', () => {
    expect(() => selectRevisions([])).toThrow(TypeError);
    expect(() => selectRevisions(['2025-11-25', '1999-01-01'])).toThrow(/1999-01-01.*2026-07-28, 2025-11-25/);
    expect(() => selectRevisions('modern' as RevisionChoice)).toThrow(TypeError);
  });
});

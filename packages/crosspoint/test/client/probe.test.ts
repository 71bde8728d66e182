import { expect, test } from 'vitest';
import { classifyProbe } from '../../src/client/connecting/probe.ts';
import { ProtocolError } from '../../src/client/index.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import type { SpokenRevisions } from '../../src/revisions/selection.ts';
import { proves } from '../requirements/proves.ts';
import { LEGACY, MODERN } from './fake-server.ts';

const NEXT: Revision = { ...MODERN, id: 'next' };

/** As it will be when there are two revisions of the family. */
function speaking(...all: [Revision, ...Revision[]]): SpokenRevisions {
  return {
    all,
    ids: all.map(({ id }) => id),
    families: new Set(all.map(({ family }) => family)),
    find: (id) => all.find((revision) => revision.id === id),
    newest: (family) => all.find((revision) => revision.family === family),
  };
}

const spoken = speaking(NEXT, MODERN, LEGACY);
const unsupported = (supported: string[]): ProtocolError =>
  new ProtocolError(-32022, 'Unsupported', { supported, requested: NEXT.id });

proves('M-IOP-003, M-VER-002').test(
  '-32022: the newest advertised version of the family is tried next, each once',
  () => {
    const error = unsupported([LEGACY.id, MODERN.id]);
    expect(classifyProbe({ kind: 'error', error }, spoken, [NEXT])).toEqual({ kind: 'again', revision: MODERN });
  },
);

test('a server that refuses every version it advertises is not asked in circles', () => {
  const error = unsupported([MODERN.id, NEXT.id]);
  expect(classifyProbe({ kind: 'error', error }, spoken, [NEXT, MODERN])).toMatchObject({ kind: 'incompatible' });
});

proves('M-VER-002').test('a server that refuses the only version it advertises is asked once more', () => {
  const outcome = { kind: 'error', error: unsupported([NEXT.id]) } as const;
  expect(classifyProbe(outcome, spoken, [NEXT])).toEqual({ kind: 'again', revision: NEXT });
  expect(classifyProbe(outcome, spoken, [NEXT, NEXT])).toMatchObject({ kind: 'incompatible' });
});

proves('M-IOP-002').test('the newest version that both sides name is chosen, in whatever order they are listed', () => {
  const discover = (supportedVersions: string[]): unknown =>
    classifyProbe({ kind: 'result', result: { supportedVersions, capabilities: {} } }, spoken, [NEXT]);
  expect(discover([MODERN.id, NEXT.id])).toMatchObject({ kind: 'per-request', revision: { id: 'next' } });
  expect(discover([MODERN.id, 'unknown'])).toMatchObject({ kind: 'per-request', revision: { id: MODERN.id } });
  expect(discover([LEGACY.id])).toMatchObject({ kind: 'handshake', offer: { id: LEGACY.id } });
  expect(discover([])).toMatchObject({ kind: 'incompatible' });
});

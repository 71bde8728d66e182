import type { WatchedChange, WatchHandle } from 'crosspoint/client';
import { describe, expect, it } from 'vitest';
import { Watching, type Wanted } from '../../src/changes/watching.ts';
import type { Slot } from '../../src/upstream/upstream-sessions.ts';

type Told = (change: WatchedChange) => void;

/** A session whose server reports changes while it agrees to watch, before its answer is there. */
function eager(early: WatchedChange[]) {
  const tell: Told[] = [];
  const watch = async (wanted: Wanted, { onchange }: { onchange: Told }): Promise<WatchHandle> => {
    tell.push(onchange);
    for (const change of early) onchange(change);
    return { honored: wanted, closed: new Promise(() => {}), close: async () => {} } as object as WatchHandle;
  };
  const slot = { session: { client: { watch } }, release: () => {} } as object as Slot;
  return { slot, tell };
}

function watching(early: WatchedChange[]) {
  const { slot, tell } = eager(early);
  const seen: WatchedChange[] = [];
  const problems: Error[] = [];
  const subject = new Watching({
    acquire: async () => slot,
    onchange: (change) => void seen.push(change),
    onproblem: (problem) => void problems.push(problem),
  });
  return { subject, tell, seen, problems };
}

describe('a change that a server reports while it agrees to watch', () => {
  it('is told, as those after it are', async () => {
    const { subject, tell, seen } = watching([{ kind: 'tools' }]);
    await subject.want({ tools: true });
    expect(seen).toEqual([{ kind: 'tools' }]);
    tell[0]?.({ kind: 'tools' });
    expect(seen).toEqual([{ kind: 'tools' }, { kind: 'tools' }]);
  });

  it('is left to the watch that is open where one is being replaced', async () => {
    const { subject, tell, seen } = watching([{ kind: 'tools' }]);
    await subject.want({ tools: true });
    await subject.want({ tools: true, prompts: true });
    expect(seen).toEqual([{ kind: 'tools' }]);
    tell[0]?.({ kind: 'tools' });
    tell[1]?.({ kind: 'prompts' });
    expect(seen).toEqual([{ kind: 'tools' }, { kind: 'prompts' }]);
  });
});

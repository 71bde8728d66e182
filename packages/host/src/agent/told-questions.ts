import type { Inbox, InboxChange } from '../inbox/inbox.ts';
import type { InboxItem } from '../inbox/item.ts';
import type { RunCall, RunEvent } from './run.ts';

/** Tells the questions of the inbox that belong to the calls of a run. Returns the function that ends it. */
export function tellQuestions(
  inbox: Inbox,
  active: ReadonlyMap<string, RunCall>,
  emit: (event: RunEvent) => void,
): () => void {
  const told = new Set<string>();
  const isOf = ({ from }: InboxItem): boolean =>
    from.call === undefined
      ? from.server !== undefined && [...active.values()].some(({ server }) => server === from.server)
      : active.has(from.call.id);
  return inbox.watch((change: InboxChange) => {
    const { item } = change;
    if (change.type === 'asked' && isOf(item)) {
      told.add(item.id);
      const call = item.from.call === undefined ? undefined : active.get(item.from.call.id);
      const of = call === undefined ? {} : { call };
      emit(
        item.kind === 'call' || item.kind === 'result'
          ? { type: 'approval-wanted', ...of, item }
          : { type: 'question', ...of, item },
      );
    } else if (change.type !== 'asked' && change.type !== 'refused' && told.delete(item.id))
      emit({ type: 'answered', item, outcome: change.type });
  });
}

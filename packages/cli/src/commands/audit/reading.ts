import { AuditLog, visibleLine, visibleText, type AuditEntry } from '@crosspoint/host';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { tableText } from '../../output/table.ts';
import { withStore } from '../../place/open-store.ts';
import { readTime } from '../../values/read-time.ts';

export interface AuditFilter {
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly server: string | undefined;
  readonly type: string | undefined;
  readonly call: string | undefined;
  readonly limit: number | undefined;
}

const MOST_ENTRIES = 50;
const MAX_DETAILS = 120;

/** Prints the newest entries that fit. */
export async function listAudit(filter: AuditFilter, { home, output }: CommandContext): Promise<void> {
  const { type, server, call, limit = MOST_ENTRIES } = filter;
  const since = filter.since === undefined ? -Infinity : readTime('since', filter.since);
  const until = filter.until === undefined ? Infinity : readTime('until', filter.until);
  const most = Math.floor(limit);
  const entries: AuditEntry[] = [];
  await withStore(home, async (store) => {
    const log = new AuditLog({ store });
    const isWhole = [type, server, call, filter.since, filter.until].every((one) => one === undefined);
    const end = isWhole ? ((await log.anchor())?.sequence ?? 0) : 0;
    const wanted = {
      from: Math.max(1, end - most + 1),
      ...(type !== undefined && { type }),
      ...(server !== undefined && { server }),
    };
    for await (const entry of log.read(wanted)) {
      const at = Date.parse(entry.at);
      if (at < since || at >= until || (call !== undefined && entry.event.call !== call)) continue;
      entries.push(entry);
      if (entries.length > most) entries.shift();
    }
  });
  output.result({ entries }, () =>
    entries.length === 0
      ? 'Nothing was written that fits.'
      : tableText(
          entries.map(({ sequence, at, event }) => [
            String(sequence),
            at,
            event.type,
            visibleLine(event.server ?? ''),
            visibleLine(JSON.stringify(event.details)).slice(0, MAX_DETAILS),
          ]),
        ),
  );
}

export async function showAudit(word: string, { home, output }: CommandContext): Promise<void> {
  if (!/^[1-9]\d{0,14}$/.test(word))
    throw new CliError('usage', `NUMBER must be a number from 1, not ${JSON.stringify(word)}.`);
  const number = Number(word);
  const found = await withStore(home, async (store) => {
    for await (const entry of new AuditLog({ store }).read({ from: number, to: number })) return entry;
    return undefined;
  });
  if (found === undefined)
    throw new CliError('usage', `The log has no entry ${word}.`, { hint: 'crosspoint audit ls lists them.' });
  output.result(found, () => visibleText(JSON.stringify(found, undefined, 2)));
}

import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { AuditLog, verifyExport, type AuditAnchor, type AuditReport } from '@crosspoint/host';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Ending } from '../../errors/exit-codes.ts';
import { withStore } from '../../place/open-store.ts';

export interface VerifyWords {
  readonly file: string | undefined;
  readonly anchor: string | undefined;
}

const ANCHOR = /^(\d{1,15}):(\S+)$/;

export async function verifyAudit(
  { file, anchor }: VerifyWords,
  { io, home, output }: CommandContext,
): Promise<Ending> {
  const options = anchor === undefined ? {} : { anchor: anchorOf(anchor) };
  const report = await (file === undefined
    ? withStore(home, (store) => new AuditLog({ store }).verify(options))
    : verifyFile(resolve(io.cwd, file), options));
  output.result(report, () =>
    report.ok ? `${report.entries} entries, nothing was changed.` : report.problems.map(({ what }) => what).join('\n'),
  );
  return report.ok ? 'ok' : 'mismatch';
}

async function verifyFile(file: string, options: { readonly anchor?: AuditAnchor }): Promise<AuditReport> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new CliError('usage', `The file ${file} cannot be read (${error.code ?? error.message}).`);
  });
  await handle.close();
  return verifyExport(createInterface({ input: createReadStream(file) }), options);
}

function anchorOf(word: string): AuditAnchor {
  const [, sequence, hash] = ANCHOR.exec(word) ?? [];
  if (sequence === undefined || hash === undefined)
    throw new CliError('usage', '--anchor must be NUMBER:HASH, as crosspoint audit export tells it.');
  return { sequence: Number(sequence), hash };
}

/** Writes the lines of the log, and tells the anchor. */
export async function exportAudit(word: string | undefined, { io, home, output }: CommandContext): Promise<void> {
  await withStore(home, async (store) => {
    const log = new AuditLog({ store });
    const { sequence = 0, hash = '' } = (await log.anchor()) ?? {};
    const anchor = `${sequence}:${hash}`;
    if (word === undefined) {
      for await (const line of log.export()) output.bytes(Buffer.from(`${line}\n`));
      output.note(`Anchor: ${anchor}`);
      return;
    }
    const file = resolve(io.cwd, word);
    const handle = await open(file, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
      throw new CliError('usage', `The file ${file} cannot be written (${error.code ?? error.message}).`);
    });
    let entries = -1;
    try {
      for await (const line of log.export()) {
        await handle.write(`${line}\n`);
        entries += 1;
      }
    } finally {
      await handle.close();
    }
    output.result({ file, entries, anchor }, () => `${entries} entries are in ${file}. Anchor: ${anchor}`);
  });
}

import { writeFile } from 'node:fs/promises';
import { toOtlp, toSession, type TimelineSpan } from '@crosspoint/host/timeline';
import { CliError } from '../errors/cli-error.ts';

/** Writes spans to a file that only this user can read, and returns its path. */
export async function exportSpans(
  spans: readonly TimelineSpan[],
  format: 'otlp' | 'session',
  file: string,
): Promise<string> {
  const text = format === 'otlp' ? `${JSON.stringify(toOtlp(spans, { service: 'crosspoint' }))}\n` : toSession(spans);
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError('usage', `The file ${file} cannot be written (${code ?? message}).`);
  }
  return file;
}

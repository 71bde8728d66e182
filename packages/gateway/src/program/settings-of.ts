import type { Store } from 'crosspoint/stores';
import type { BridgeOptions } from '../bridge-options.ts';
import type { BridgeCommand } from './bridge-command.ts';
import { ProgramError } from './program-error.ts';
import type { SourceReader } from './source-reader.ts';

const LEAST_BYTES = 32;

/** The options of the bridge itself; what the command line does not say is left to its defaults. */
export function settingsOf(
  command: BridgeCommand,
  sources: SourceReader,
  { store, onproblem }: { readonly store: Store; readonly onproblem: (problem: Error) => void },
): BridgeOptions {
  const { target, revisions, stateless, concurrency, questions, parkMs, maxParked, maxRounds, keyFile } = command;
  const parking = {
    ...(parkMs !== undefined && { forMs: parkMs }),
    ...(maxParked !== undefined && { atMost: maxParked }),
  };
  return {
    ...(Object.keys(parking).length > 0 && { parking }),
    ...(concurrency !== undefined && { concurrency }),
    ...(questions !== undefined && { questions }),
    ...(target.kind === 'program' &&
      target.maxChildrenPerCaller !== undefined && { sessions: { perCaller: target.maxChildrenPerCaller } }),
    ...(maxRounds !== undefined && { maxRounds }),
    ...(stateless === true && { stateless }),
    ...(revisions !== undefined && { client: { revisions } }),
    ...(keyFile !== undefined && { keys: readKeys(keyFile, sources) }),
    store,
    onproblem,
  };
}

/** Sealing keys, one a line: the first seals, all open. */
export function readKeys(path: string, sources: SourceReader): string[] {
  const keys = sources.lines('--key-file', path).map(({ text, number }) => {
    const bytes = Buffer.byteLength(text);
    if (bytes < LEAST_BYTES)
      throw new ProgramError(
        `--key-file: line ${number} of "${path}" has ${bytes} bytes, and a key has at least ${LEAST_BYTES}. "openssl rand -base64 32" makes one.`,
      );
    sources.hide(text);
    return text;
  });
  if (keys.length === 0)
    throw new ProgramError(`--key-file: "${path}" has no key. Write one a line, the newest first.`);
  return keys;
}

import { createWriteStream, openSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { record, type BridgeRecorder } from '../recorder.ts';
import { ProgramError } from './program-error.ts';
import type { SourceReader } from './source-reader.ts';

export interface Recording {
  readonly recorder: BridgeRecorder;
  close(): Promise<void>;
}

/** Begins a session file, which only this user may read. One that exists is never written over. */
export function openRecording(
  path: string,
  { sources, onproblem }: { readonly sources: SourceReader; readonly onproblem: (problem: Error) => void },
): Recording {
  const file = createWriteStream(path, { fd: opened(path) });
  file.on('error', onproblem);
  const recorder = record(file, { secrets: () => [...sources.secrets], onerror: onproblem });
  return {
    recorder,
    async close() {
      await recorder.close();
      file.end();
      await finished(file).catch(() => {});
    },
  };
}

function opened(path: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST' ? 'exists already. Choose another name' : `cannot be made (${code ?? 'unknown error'})`;
    throw new ProgramError(`--record: the file "${path}" ${why}.`, { cause: error });
  }
}

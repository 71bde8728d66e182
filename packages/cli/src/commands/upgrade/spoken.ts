import { SUPPORTED_PROTOCOL_VERSIONS } from 'crosspoint';
import type { CommandContext } from '../../context.ts';
import { cliErrorOf } from '../../errors/cli-error-of.ts';
import type { TargetWords } from '../../grammar/command.ts';
import { openLocally } from '../../server/open-locally.ts';

/** Those with a handshake, oldest first, then those without. */
const WAYS = [
  ...SUPPORTED_PROTOCOL_VERSIONS.toReversed().map((revision) => ({ revision, family: undefined })),
  { revision: undefined, family: 'per-request' },
];

/** How a server took one revision. */
export interface Spoken {
  /** Its date; the family where no connection came about. */
  readonly revision: string;
  readonly isConnected: boolean;
  readonly tools?: number;
  readonly error?: string;
}

/** Starts the server once for each revision, and connects with that alone. */
export async function spokenRevisions(
  target: TargetWords,
  folder: string,
  { home, io: { env }, reaching, signal, output }: CommandContext,
): Promise<Spoken[]> {
  const place = {
    home,
    cwd: folder,
    env,
    note: (text: string): void => output.note(text),
  };
  const spoken: Spoken[] = [];
  for (const way of WAYS) {
    try {
      const server = await openLocally(target, { ...reaching, ...way }, place, { signal });
      try {
        const { tools, revision } = await server.request('show', {}, { signal });
        spoken.push({ revision, isConnected: true, tools });
      } finally {
        await server.release();
      }
    } catch (error) {
      signal.throwIfAborted();
      spoken.push({ revision: way.revision ?? way.family, isConnected: false, error: cliErrorOf(error).message });
    }
  }
  return spoken;
}

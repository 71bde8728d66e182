import type { TargetWords } from '../grammar/command.ts';
import type { TargetValues } from '../grammar/parse.ts';
import type { OpenServer } from './open-server.ts';
import type { OpeningOptions, OpeningPlace } from './server-opener.ts';

/** A server that is held. */
export interface HeldName {
  /** The word by which it was named. */
  readonly name: string;
  /** When it was opened, as ISO 8601. */
  readonly since: string;
}

/** Servers that stay open when the command that opened them has ended, for the commands after it. */
export interface HeldServers {
  list(): readonly HeldName[];
  /** The open server that was named so. Releasing it does nothing. */
  get(name: string): OpenServer | undefined;
  /** Ends a connection. It is opened anew when it is named again. */
  end(name: string): Promise<void>;
  /** The server that the words mean, opened where it is not open yet; `undefined` where it is to be opened for one command alone. */
  open(
    target: TargetWords,
    reaching: TargetValues,
    place: OpeningPlace,
    options: OpeningOptions,
  ): Promise<OpenServer | undefined>;
}

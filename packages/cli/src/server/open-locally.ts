import { openWorkplace } from '../place/workplace.ts';
import type { TargetWords } from '../grammar/command.ts';
import type { TargetValues } from '../grammar/parse.ts';
import { cliErrorOf } from '../errors/cli-error-of.ts';
import { findTarget } from '../target/find-target.ts';
import { forgetOther, refuseUntrusted } from './admission.ts';
import { LocalServer } from './local-server.ts';
import type { OpeningOptions, OpeningPlace } from './server-opener.ts';

/** The longest silence of a call, unless the configuration has one: a person who is asked needs longer than the minute of a client, and can stop a call. */
export const SILENCE_MS = 3_600_000;

/** Connects to a server from this process. Apart from the rest because it loads the host. */
export async function openLocally(
  target: TargetWords,
  reaching: TargetValues,
  place: OpeningPlace,
  options: OpeningOptions & { readonly name?: string },
): Promise<LocalServer> {
  try {
    const { home, cwd, env } = place;
    const found = await findTarget(target, reaching, { home, cwd, env, warn: (message) => place.note(message) });
    const workplace = await openWorkplace(home, {
      cwd,
      env,
      withTimeline: options.withTimeline,
      // Things that end because the user ended the command are no problems.
      onproblem: ({ message }) => options.signal?.aborted !== true && place.note(message),
      // A page is opened by the command that answers the question about it.
      openUrl: () => {},
    });
    const { name = found.entry.name } = options;
    const entry = { timeoutMs: SILENCE_MS, ...found.entry, name };
    try {
      await refuseUntrusted(entry, workplace.store);
      await forgetOther(entry, workplace.store);
    } catch (error) {
      await workplace.close();
      throw error;
    }
    return await LocalServer.open({ ...found, entry }, workplace, options);
  } catch (error) {
    throw cliErrorOf(error);
  }
}

import { createLogin, FileCredentials } from 'crosspoint/auth/node';
import { children } from '../stdio/children.ts';
import { upstreamAt } from '../upstream/http-upstream.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { AddressTarget, BridgeCommand, ProgramTarget } from './bridge-command.ts';
import { nodeFetch } from './http/node-fetch.ts';
import type { Log } from './log.ts';
import { ProgramError } from './program-error.ts';
import { addressFault } from './read-arguments.ts';
import type { SourceReader } from './source-reader.ts';

const CLIENT_NAME = 'Crosspoint bridge';

export interface UpstreamTools {
  readonly log: Log;
  /** Gets each line that the server writes to stderr. */
  readonly onstderr: (line: string) => void;
}

/** The server that the command line names. */
export function upstreamOf({ target, face }: BridgeCommand, sources: SourceReader, tools: UpstreamTools): Upstream {
  // The answer of a login cannot be pasted where stdin belongs to the protocol.
  return target.kind === 'program'
    ? programUpstream(target, sources, tools)
    : addressUpstream(target, sources, { ...tools, mayPaste: face.kind === 'http' });
}

function programUpstream(target: ProgramTarget, sources: SourceReader, { log, onstderr }: UpstreamTools): Upstream {
  const { command, args, cwd, maxChildren, maxChildrenPerCaller, waitMs } = target;
  return children(
    {
      command,
      args: [...args],
      env: sources.readAll('--env', target.env),
      ...(cwd !== undefined && { cwd }),
    },
    {
      ...(maxChildren !== undefined && { max: maxChildren }),
      ...(maxChildrenPerCaller !== undefined && { maxPerCaller: maxChildrenPerCaller }),
      ...(waitMs !== undefined && { waitMs }),
      guarded: true,
      onstderr(line, pid) {
        log.server(line, pid);
        onstderr(line);
      },
      onproblem: ({ message }) => log.problem(message),
    },
  );
}

function addressUpstream(
  target: AddressTarget,
  sources: SourceReader,
  { log, mayPaste }: { readonly log: Log; readonly mayPaste: boolean },
): Upstream {
  const url = sources.read('The address', target.url);
  const fault = addressFault(url);
  if (fault !== undefined) throw new ProgramError(fault);
  const headers = sources.readAll('--header', target.headers);
  const login = target.login
    ? createLogin({
        serverUrl: url,
        clientName: CLIENT_NAME,
        credentials: new FileCredentials(target.credentials),
        say: (message) => log.problem(message),
        ...(!mayPaste && { paste: false }),
      })
    : undefined;
  return upstreamAt({
    url,
    fetch: nodeFetch(),
    ...(Object.keys(headers).length > 0 && { requestInit: { headers } }),
    ...(login !== undefined && { authProvider: login }),
  });
}

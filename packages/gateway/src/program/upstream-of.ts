import { createLogin, FileCredentials } from 'crosspoint/auth/node';
import { children } from '../stdio/children.ts';
import { upstreamAt } from '../upstream/http-upstream.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { AddressTarget, BridgeCommand, ProgramTarget } from './bridge-command.ts';
import { nodeFetch } from './http/node-fetch.ts';
import type { Log } from './log.ts';

const CLIENT_NAME = 'Crosspoint bridge';

export interface UpstreamTools {
  readonly log: Log;
  /** Gets each line that the server writes to stderr. */
  readonly onstderr: (line: string) => void;
}

/** The server that the command line names. */
export function upstreamOf({ target, face }: BridgeCommand, tools: UpstreamTools): Upstream {
  // The answer of a login cannot be pasted where stdin belongs to the protocol.
  return target.kind === 'program'
    ? programUpstream(target, tools)
    : addressUpstream(target, { ...tools, mayPaste: face.kind === 'http' });
}

function programUpstream(target: ProgramTarget, { log, onstderr }: UpstreamTools): Upstream {
  const { command, args = [], env = {}, cwd, maxChildren, maxChildrenPerCaller, waitMs } = target;
  return children(
    {
      command,
      args: [...args],
      env: { ...env },
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
  { url, headers = {}, isSse, login: mayLogIn, credentials, account, noBrowser }: AddressTarget,
  { log, mayPaste }: { readonly log: Log; readonly mayPaste: boolean },
): Upstream {
  const login = mayLogIn
    ? createLogin({
        serverUrl: url,
        clientName: CLIENT_NAME,
        credentials: new FileCredentials(credentials),
        say: (message) => log.problem(message),
        ...(account !== undefined && { account }),
        ...(noBrowser === true && { open: 'print' as const }),
        ...(!mayPaste && { paste: false }),
      })
    : undefined;
  return upstreamAt({
    url,
    fetch: nodeFetch(),
    ...(Object.keys(headers).length > 0 && { requestInit: { headers: { ...headers } } }),
    ...(isSse === true && { transport: 'sse' as const }),
    ...(login !== undefined && { authProvider: login }),
  });
}

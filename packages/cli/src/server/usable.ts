import { setTimeout as pause } from 'node:timers/promises';
import { ServerUnavailableError, type Host, type HostServer, type ServerState } from '@crosspoint/host';

/** A question is asked right after the state of its server is told. */
const ASKING_MS = 20;

/** Resolves when the server can be used. Rejects with `ServerUnavailableError` after its first failure, and where the user did not allow it. */
export async function usable(host: Host, server: HostServer, signal?: AbortSignal): Promise<void> {
  // A state in which something was asked is followed by another, however long the answer and the store take.
  let asked: ServerState | undefined;
  const stop = host.inbox.watch(({ type, item }) => {
    if (type === 'asked' && item.from.server === server.name) asked = server.state;
  });
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { state } = server;
      if (state.status === 'ready' || state.status === 'degraded') return;
      const isFinal = state.status === 'failed' || state.status === 'disabled' || state.status === 'closed';
      const mayWait = state.status === 'pending-approval' || state.status === 'needs-login';
      if (mayWait && asked !== state) await pause(ASKING_MS);
      if (isFinal || (mayWait && server.state === state && asked !== state))
        throw new ServerUnavailableError(server.name, state);
      if (server.state === state && signal?.aborted !== true) await nextState(host, server.name, signal);
    }
  } finally {
    stop();
  }
}

function nextState(host: Host, name: string, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stop();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const stop = host.watch((event) => {
      if (event.type === 'server' && event.server === name) done();
    });
    signal?.addEventListener('abort', done, { once: true });
  });
}

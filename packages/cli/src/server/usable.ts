import { ServerUnavailableError, type Host, type HostServer } from '@crosspoint/host';

/** Resolves when the server can be used. Rejects with `ServerUnavailableError` after its first failure, and where the user did not allow it. */
export async function usable(host: Host, server: HostServer, signal?: AbortSignal): Promise<void> {
  for (;;) {
    signal?.throwIfAborted();
    const { status } = server.state;
    if (status === 'ready' || status === 'degraded') return;
    const isFinal = status === 'failed' || status === 'disabled' || status === 'closed';
    const mayWait = status === 'pending-approval' || status === 'needs-login';
    if (isFinal || (mayWait && !(await isAsked(host, server.name))))
      throw new ServerUnavailableError(server.name, server.state);
    if (server.state.status === status && signal?.aborted !== true) await nextState(host, server.name, signal);
  }
}

/** Whether a question about the server waits, or has just been answered. It is asked after its state is told. */
async function isAsked(host: Host, server: string): Promise<boolean> {
  const before = host.servers.get(server)?.state;
  await new Promise((resolve) => setTimeout(resolve, 20));
  return host.servers.get(server)?.state !== before || host.inbox.list({ server }).length > 0;
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

/** Where a server stands. `cause` says what went wrong, for people. */
export type ServerState =
  /** Switched off in its configuration. */
  | { readonly status: 'disabled' }
  /** The user has not allowed it yet, or has refused; `approve()` asks again. */
  | { readonly status: 'pending-approval'; readonly reason: string }
  | { readonly status: 'connecting'; readonly attempt: number }
  | { readonly status: 'ready' }
  /** Connected, and a part of it does not work. */
  | { readonly status: 'degraded'; readonly cause: Error }
  /** The server wants a login that the user has not finished; `login()` begins it again. */
  | { readonly status: 'needs-login'; readonly cause?: Error }
  /** Not connected. `retryAt`: when the next attempt begins; absent when there will be none before `restart()`. */
  | { readonly status: 'failed'; readonly cause: Error; readonly retryAt?: number }
  /** Removed, or ended with the host. */
  | { readonly status: 'closed' };

/** Whether the server answers calls. */
export function isUsable({ status }: ServerState): boolean {
  return status === 'ready' || status === 'degraded';
}

/** Whether the server may become usable without anybody doing something. */
export function isUnderway(state: ServerState): boolean {
  return state.status === 'connecting' || (state.status === 'failed' && state.retryAt !== undefined);
}

/** A call or a question for a server that cannot be reached now. */
export class ServerUnavailableError extends Error {
  override readonly name: string = 'ServerUnavailableError';
  readonly server: string;
  readonly state: ServerState;

  constructor(server: string, state: ServerState) {
    super(`The server "${server}" ${describeState(state)}`, 'cause' in state ? { cause: state.cause } : undefined);
    this.server = server;
    this.state = state;
  }
}

/** A state in words, as the end of a sentence that begins with the server. */
export function describeState(state: ServerState): string {
  switch (state.status) {
    case 'disabled':
      return 'is switched off in its configuration.';
    case 'pending-approval':
      return `has not been allowed to start: ${state.reason}`;
    case 'connecting':
      return 'is still connecting.';
    case 'ready':
      return 'is ready.';
    case 'degraded':
      return `works in part: ${state.cause.message}`;
    case 'needs-login':
      return `needs a login${state.cause === undefined ? '.' : `: ${state.cause.message}`}`;
    case 'failed':
      return `cannot be reached: ${state.cause.message}`;
    case 'closed':
      return 'is closed.';
  }
}

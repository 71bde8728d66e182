type RequestId = string | number;

/** A call that is open at the server, as far as a message of the server can name it. */
export interface Matchable {
  /** Ids under which it was sent. */
  readonly ids: readonly RequestId[];
  /** Task that it became at the server. */
  readonly taskId: string | undefined;
  /** Whether its client can be asked while it runs. */
  readonly mayBeAsked: boolean;
}

/** Names in a message of the server for the call that it belongs to. */
export interface Belonging {
  /** Request on whose stream it came; `null`: the standing stream; `undefined`: the connection has one channel. */
  readonly relatedRequestId: RequestId | null | undefined;
  /** Task that it names. */
  readonly taskId: string | undefined;
}

/**
 * Finds the call that a message belongs to, by what is certain: the task that it names, the stream that it came on, or that only one call of this session can
 * be meant. `undefined` where that is not certain: a guess would show a question to the wrong call.
 */
export function matchCall<Call extends Matchable>(
  { relatedRequestId, taskId }: Belonging,
  open: Iterable<Call>,
): Call | undefined {
  const calls = [...open];
  if (taskId !== undefined) return calls.find((call) => call.taskId === taskId);
  // On the stream of a request that is not open any more, or is the bridge's own, it belongs to no other call.
  if (relatedRequestId !== undefined && relatedRequestId !== null)
    return calls.find((call) => call.ids.includes(relatedRequestId) || call.taskId === relatedRequestId);
  const asking = calls.filter((call) => call.mayBeAsked && call.taskId === undefined);
  return asking.length === 1 ? asking[0] : undefined;
}

/**
 * Finds a call of the one client with a session that all open calls are of: a notification that names no call is certainly for that client. `undefined` where
 * several clients, or one without a session, have calls open.
 */
export function callOfOnlyClient<Call extends { readonly group?: string | undefined }>(
  open: Iterable<Call>,
): Call | undefined {
  const [first, ...others] = open;
  return first?.group !== undefined && others.every(({ group }) => group === first.group) ? first : undefined;
}

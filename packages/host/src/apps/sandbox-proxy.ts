import { isObject } from '../values/json.ts';

const RESERVED = 'ui/notifications/sandbox-';

/**
 * Whether a sandbox proxy passes a message on, in either direction: everything but the messages between the proxy and the host themselves. A pure
 * function without imports of a runtime, so that the page of the proxy can hold it.
 */
export function isForwarded(message: unknown): boolean {
  const method = isObject(message) ? message['method'] : undefined;
  return !(typeof method === 'string' && method.startsWith(RESERVED));
}

/** The two directions of a proxy. Each passes on what it is given, unchanged and once, and neither makes a message of its own. */
export function sandboxProxy(ends: {
  readonly toHost: (message: unknown) => void;
  readonly toView: (message: unknown) => void;
}): { readonly fromHost: (message: unknown) => void; readonly fromView: (message: unknown) => void } {
  return {
    fromHost: (message) => {
      if (isForwarded(message)) ends.toView(message);
    },
    fromView: (message) => {
      if (isForwarded(message)) ends.toHost(message);
    },
  };
}

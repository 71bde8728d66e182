/** Facts about a message beside its text. */
import type { AuthInfo } from 'crosspoint';

export type IsomorphicHeaders = Record<string, string | string[] | undefined>;

/** The HTTP request that brought a message. */
export interface RequestInfo {
  headers: IsomorphicHeaders;
  url?: URL | undefined;
}

export interface MessageExtraInfo {
  requestInfo?: RequestInfo | undefined;
  authInfo?: AuthInfo | undefined;
  /** Ends the stream of the answer so that the client returns for the rest; present where events are stored. */
  closeSSEStream?: (() => void) | undefined;
  /** Ends the standing stream in the same way. */
  closeStandaloneSSEStream?: (() => void) | undefined;
}

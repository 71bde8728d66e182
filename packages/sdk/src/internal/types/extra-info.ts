/** What a transport knows of a message beside its text. */
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
  /** Ends the answer's stream so that the client comes back for the rest; there where events are kept. */
  closeSSEStream?: (() => void) | undefined;
  /** The same for the stream that stands by itself. */
  closeStandaloneSSEStream?: (() => void) | undefined;
}

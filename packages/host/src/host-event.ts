import type { RunningCall } from './calls/running-calls.ts';
import type { ServerChanges } from './consent/pins.ts';
import type { PendingPage } from './context/pending-pages.ts';
import type { ServerState } from './servers/server-state.ts';

/** Something that happened, for programs that show it. Texts of servers are as they came: show them through `visibleText`. */
export type HostEvent =
  | { readonly type: 'server'; readonly server: string; readonly state: ServerState }
  | { readonly type: 'catalogue'; readonly server: string }
  /** A server offers other things than when it was first seen. */
  | { readonly type: 'definitions'; readonly server: string; readonly changes: ServerChanges }
  | { readonly type: 'call'; readonly call: RunningCall; readonly isOver: boolean }
  /** A page was opened in the user's browser. `isOver`: the server reported it as finished, or its call or server has ended. */
  | { readonly type: 'page'; readonly page: PendingPage; readonly isOver: boolean }
  | {
      readonly type: 'log';
      readonly server: string;
      readonly level: string;
      readonly logger?: string;
      readonly data: unknown;
    }
  | { readonly type: 'stderr'; readonly server: string; readonly line: string };

import type { JsonObject } from '../jsonrpc/message.ts';

/** @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28. */
export interface Root {
  /** `file://` */
  uri: string;
  name?: string;
  _meta?: JsonObject;
}

/** @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28. */
export interface ListRootsResult {
  roots: Root[];
  _meta?: JsonObject;
}

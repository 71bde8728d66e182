import { isJsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { META_FIRST_SENT_AGO, META_IDEMPOTENCY_KEY } from '../../protocol/meta.ts';
import type { ServerContext } from '../calls/context.ts';

/** What a call says of itself in order to be carried out once. */
export interface CallKey {
  readonly key: string;
  /** How long ago the client sent this call for the first time, where this is not that time. */
  readonly agoMs: number | undefined;
}

const LONGEST_KEY = 255;
/** 128 bits or more, such as those of a UUID. */
const UNGUESSABLE = /^[0-9a-f]{32,}$/i;

/** The key that a call brings, where it is one that may bring one. Throws for what is no key. */
export function keyOf(ctx: ServerContext): CallKey | undefined {
  const { method, params } = ctx.inbound;
  if (method !== 'tools/call') return undefined;
  const meta = params['_meta'];
  if (!isJsonObject(meta)) return undefined;
  const key = meta[META_IDEMPOTENCY_KEY];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key === '' || key.length > LONGEST_KEY)
    throw new ProtocolError(
      'invalid-params',
      `_meta["${META_IDEMPOTENCY_KEY}"] must be a text of 1 to ${LONGEST_KEY} characters.`,
    );
  // The key is all that tells a stranger's call from another's: the repeat of a call may come in another session, and from another address.
  if (isStranger(ctx) && !UNGUESSABLE.test(key.replaceAll('-', '')))
    throw new ProtocolError(
      'invalid-params',
      `A caller without a name needs a key that nobody can guess: make _meta["${META_IDEMPOTENCY_KEY}"] a UUID.`,
    );
  const ago = meta[META_FIRST_SENT_AGO];
  return { key, agoMs: typeof ago === 'number' && ago >= 0 ? ago : undefined };
}

/** One of many in the network, of whom no more than an address is known. A local connection has one caller. */
function isStranger({ principal, owner }: ServerContext): boolean {
  return principal === undefined && typeof owner === 'string';
}

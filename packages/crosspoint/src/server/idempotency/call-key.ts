import { described } from '../../runtime/described.ts';
import { isJsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { META_FIRST_SENT_AGO, META_IDEMPOTENCY_KEY } from '../../protocol/meta.ts';
import type { ServerContext } from '../calls/context.ts';

/** The idempotency key of a call. */
export interface CallKey {
  readonly key: string;
  /** Milliseconds since the client first sent this call; absent on the first attempt. */
  readonly agoMs: number | undefined;
}

const LONGEST_KEY = 255;
/** 128 bits or more in hexadecimal digits, such as a UUID without its dashes. */
const UNGUESSABLE = /^[0-9a-f]{32,}$/i;

/** The key of a call, if it has one. Throws for a value that is no key. */
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
      `_meta["${META_IDEMPOTENCY_KEY}"] must be a text of 1 to ${LONGEST_KEY} characters, not ${typeof key === 'string' ? `of ${key.length}` : described(key)}.`,
    );
  // Only the key tells the calls of strangers apart: the repeat of a call may come in another session, and from another address.
  if (isStranger(ctx) && !UNGUESSABLE.test(key.replaceAll('-', '')))
    throw new ProtocolError(
      'invalid-params',
      `A caller without a name needs a key that cannot be guessed: make _meta["${META_IDEMPOTENCY_KEY}"] a UUID.`,
    );
  const ago = meta[META_FIRST_SENT_AGO];
  return { key, agoMs: typeof ago === 'number' && ago >= 0 ? ago : undefined };
}

/** Whether a caller is known by its network address alone. A local connection has one caller. */
function isStranger({ principal, owner }: ServerContext): boolean {
  return principal === undefined && typeof owner === 'string';
}

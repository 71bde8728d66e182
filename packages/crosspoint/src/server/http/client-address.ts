import { atOnce } from '../../runtime/guard.ts';
import type { HttpRequest } from '../../transports/http/server/adapters/exchange.ts';
import { partyAt } from '../../transports/http/server/guards/party.ts';
import { partyOf } from '../../runtime/ip-address.ts';

/** A header in which your proxies write the address of the client. */
export interface TrustedHeader {
  /** The name, such as `x-forwarded-for`: one address, or a list to which each proxy appends the address it was called from. */
  readonly trustedHeader: string;
  /** Number of your proxies that a request passes, each of which appends to the list. 1 when absent: the last entry counts. */
  readonly hops?: number;
}

/**
 * The address of the client, when the connection comes from a proxy. A header is trusted only when it is named here; every request must then come
 * through proxies that set it, since any other client can write any address into it.
 */
export type ClientAddress = TrustedHeader | ((request: HttpRequest) => string | undefined);

const LONGEST = 255;

/** Returns a function that finds the address of a request's sender; empty where the runtime does not tell. */
export function addressReader(option: ClientAddress | undefined): (request: HttpRequest) => string {
  if (option === undefined) return ({ remoteAddress }) => partyAt(remoteAddress);
  if (typeof option === 'function')
    return (request) => {
      const given = atOnce(option(request), 'clientAddress');
      const isText = typeof given === 'string' && given !== '' && given.length <= LONGEST;
      return partyAt(isText ? given : request.remoteAddress);
    };
  const { trustedHeader, hops = 1 } = option;
  if (typeof trustedHeader !== 'string' || trustedHeader === '' || !Number.isInteger(hops) || hops < 1)
    throw new TypeError('clientAddress needs the name of a trustedHeader, and hops of at least 1.');
  const name = trustedHeader.toLowerCase();
  return (request) => partyAt(entryOf(request.header(name), hops) ?? request.remoteAddress);
}

/** The entry written by the first trusted proxy; `undefined` where there is none, or it is no address. */
function entryOf(header: string | undefined, hops: number): string | undefined {
  const entry = header?.split(',').at(-hops)?.trim() ?? '';
  const address = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? entry.replace(/^([\d.]+):\d+$/, '$1');
  return partyOf(address) === undefined ? undefined : address;
}

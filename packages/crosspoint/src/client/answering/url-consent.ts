import { isLoopbackName } from '../../runtime/loopback.ts';

/** What a user should be warned of before opening a page that a server names. */
export type UrlWarning =
  /** The host is written in Punycode: it may look like another one. */
  | 'punycode'
  /** Not a web page at all: nothing to be opened in a browser. */
  | 'scheme'
  /** Neither encrypted nor on this machine. */
  | 'insecure'
  /** A user name or password stands before the host, which may be meant to hide it. */
  | 'credentials'
  /** An address instead of a name. */
  | 'ip-address'
  /** The page is on this machine. */
  | 'loopback'
  /** Not the port that pages usually have. */
  | 'port';

/** Everything a host needs to ask for consent. Nothing has been fetched, and nothing may be before the user agrees. */
export interface UrlDescription {
  /** The whole address, as it would be opened: to be shown in full. */
  readonly url: string;
  /** Who is behind it: to be shown apart from the rest. In Punycode where the name is not plain. */
  readonly host: string;
  readonly scheme: string;
  readonly warnings: readonly UrlWarning[];
  /** Whether a browser may be sent there at all, consent given. */
  readonly openable: boolean;
}

/** Describes the address of an elicitation in URL mode for the user who is to decide. Throws `TypeError` for what is no absolute address. */
export function describeUrl(url: string): UrlDescription {
  if (!URL.canParse(url)) throw new TypeError('The url of the elicitation is not valid.');
  const parsed = new URL(url);
  const { protocol, hostname, host, port, username, password } = parsed;
  const isWeb = protocol === 'https:' || protocol === 'http:';
  const loopback = isWeb && (isLoopbackName(hostname) || hostname.endsWith('.localhost'));
  const warnings: UrlWarning[] = [];
  if (!isWeb) warnings.push('scheme');
  if (hostname.split('.').some((label) => label.toLowerCase().startsWith('xn--'))) warnings.push('punycode');
  if (protocol === 'http:' && !loopback) warnings.push('insecure');
  if (username !== '' || password !== '') warnings.push('credentials');
  if (loopback) warnings.push('loopback');
  else if (/^\[|^\d{1,3}(?:\.\d{1,3}){3}$/.test(hostname)) warnings.push('ip-address');
  if (port !== '' && !loopback) warnings.push('port');
  return { url: parsed.href, host, scheme: protocol.slice(0, -1), warnings, openable: isWeb };
}

import { isLoopbackName } from '../../runtime/loopback.ts';

/** Warnings to show a user before a page named by a server is opened. */
export type UrlWarning =
  /** The host contains Punycode and may imitate another one. */
  | 'punycode'
  /** Neither `http:` nor `https:`: nothing that a browser may open. */
  | 'scheme'
  /** Plain `http:` to another machine. */
  | 'insecure'
  /** A user name or password precedes the host, which may hide the real one. */
  | 'credentials'
  /** An IP address instead of a host name. */
  | 'ip-address'
  /** The page is on this machine. */
  | 'loopback'
  /** A port is given, other than the default. */
  | 'port';

/** Facts for a host that asks for consent. Nothing has been fetched, and nothing may be before the user agrees. */
export interface UrlDescription {
  /** The complete address, to be shown in full. */
  readonly url: string;
  /** The host, to be shown apart from the rest; in Punycode where the name is not ASCII. */
  readonly host: string;
  readonly scheme: string;
  readonly warnings: readonly UrlWarning[];
  /** Whether a browser may open it once the user agrees. */
  readonly openable: boolean;
}

/** Describes the address of a URL-mode elicitation for the user who decides. Throws `TypeError` when it is not an absolute URL. */
export function describeUrl(url: string): UrlDescription {
  if (!URL.canParse(url)) throw new TypeError('The url of the elicitation is not absolute.');
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

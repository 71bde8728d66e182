import type { FaceAuthentication, HttpFace, ListenAddress, StdioFace } from './bridge-command.ts';
import { readListenAddress } from './listen-address.ts';
import type { GivenOptions, OptionName } from './option-table.ts';
import { quoted, secretSource } from './sources.ts';
import { UsageError } from './usage-error.ts';

type Values = GivenOptions['values'];

const FOR_HTTP: readonly OptionName[] = [
  'sse',
  'allow-host',
  'allow-origin',
  'issuer',
  'audience',
  'scope',
  'introspection',
  'introspection-client',
  'introspection-secret',
  'token-file',
];

/** The side of the bridge that clients see. */
export function readFace(values: Values): HttpFace | StdioFace {
  const { listen, stdio } = values;
  if (listen !== undefined && stdio === true)
    throw new UsageError('--stdio and --listen exclude each other. Give one of them.');
  if (listen !== undefined) return readHttpFace(values, readListenAddress(listen));
  const stray = FOR_HTTP.find((name) => values[name] !== undefined);
  if (stray !== undefined)
    throw new UsageError(`--${stray} is for a bridge that serves HTTP. Add --listen, such as --listen 127.0.0.1:3000.`);
  return { kind: 'stdio', isExplicit: stdio === true };
}

function readHttpFace(values: Values, address: ListenAddress): HttpFace {
  const authentication = readAuthentication(values);
  const hosts = values['allow-host'] ?? [];
  if (authentication === undefined) refuseStrangers(address, hosts);
  for (const host of hosts)
    if (!/^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.test(host))
      throw new UsageError(`--allow-host ${quoted(host)} is no host, such as mcp.example.com or mcp.example.com:8443.`);
  const audience =
    authentication === undefined || authentication.kind === 'tokens' ? undefined : authentication.audience;
  return {
    kind: 'http',
    address,
    sse: values.sse === true,
    allowedHosts: [...(audience === undefined ? [] : [new URL(audience).hostname]), ...hosts],
    allowedOrigins: (values['allow-origin'] ?? []).map(readOrigin),
    authentication,
  };
}

const HOW =
  'Add --issuer URL and --audience URL (tokens of an authorization server), --introspection URL, or --token-file FILE (a few tokens of your own)';

/** Without authentication all callers are one, with one login upstream and one set of processes: only this machine may be that caller. */
function refuseStrangers({ host, isLoopback }: ListenAddress, hosts: readonly string[]): void {
  if (!isLoopback)
    throw new UsageError(
      `--listen ${host}: other machines could use the server as you, because callers do not have to say who they are. ${HOW}; or listen on 127.0.0.1.`,
    );
  if (hosts.length > 0)
    throw new UsageError(
      `--allow-host lets callers of other machines in, through a proxy, and callers do not have to say who they are. ${HOW}.`,
    );
}

function readAuthentication(values: Values): FaceAuthentication | undefined {
  const { issuer, audience, scope, introspection, 'token-file': path } = values;
  const client = values['introspection-client'];
  const secret = values['introspection-secret'];
  if (path !== undefined) {
    const other = (['issuer', 'audience', 'scope', 'introspection'] as const).find(
      (name) => values[name] !== undefined,
    );
    if (other !== undefined)
      throw new UsageError(`--token-file and --${other} are two ways to authenticate callers. Give one of them.`);
    return { kind: 'tokens', path };
  }
  if (introspection === undefined && (client !== undefined || secret !== undefined))
    throw new UsageError('--introspection-client and --introspection-secret need --introspection URL.');
  if (issuer === undefined) {
    const lone = (['audience', 'scope', 'introspection'] as const).find((name) => values[name] !== undefined);
    if (lone === undefined) return undefined;
    throw new UsageError(`--${lone} needs --issuer URL, the authorization server that clients log in at.`);
  }
  if (audience === undefined)
    throw new UsageError(
      '--issuer needs --audience URL: the address under which clients reach this bridge, which their tokens must name.',
    );
  checkUrl('--audience', audience);
  const common = { issuer: secureUrl('--issuer', issuer), audience, scopes: scope ?? [] };
  if (introspection === undefined) return { kind: 'issuer', ...common };
  if (client === undefined || secret === undefined)
    throw new UsageError('--introspection needs --introspection-client ID and --introspection-secret @FILE.');
  const endpoint = secureUrl('--introspection', introspection);
  return { kind: 'introspection', endpoint, client, secret: secretSource('--introspection-secret', secret), ...common };
}

/** https, or http on this machine: keys and tokens that come over anything else can be another's. */
function secureUrl(option: string, text: string): string {
  const url = checkUrl(option, text);
  const isLocal = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(url.hostname);
  if (url.protocol === 'https:' || isLocal) return text;
  throw new UsageError(`${option} ${quoted(text)}: https: is needed, except for addresses of this machine.`);
}

function checkUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== '')
    throw new UsageError(`${option} must be a URL that begins with https://, without a name or a fragment.`);
  return url;
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && url.origin !== 'null' && url.origin === text) return text;
  throw new UsageError(`--allow-origin ${quoted(text)} is no origin, such as https://app.example.com.`);
}

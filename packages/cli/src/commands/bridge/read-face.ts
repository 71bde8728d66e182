import {
  secretSource,
  type FaceAuthentication,
  type HttpFace,
  type ListenAddress,
  type StdioFace,
} from '@crosspoint/gateway/program';
import { CliError } from '../../errors/cli-error.ts';
import { givenAmong, type BridgeValues } from './bridge-options.ts';
import { readListenAddress } from './listen-address.ts';

const FOR_HTTP: readonly (keyof BridgeValues)[] = [
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
export function readFace(values: BridgeValues): HttpFace | StdioFace {
  const { listen, stdio } = values;
  if (listen !== undefined && stdio)
    throw new CliError('usage', '--stdio and --listen exclude each other. Give one of them.');
  if (listen !== undefined) return readHttpFace(values, readListenAddress(listen));
  const [stray] = givenAmong(values, FOR_HTTP);
  if (stray !== undefined)
    throw new CliError(
      'usage',
      `--${stray} is for a bridge that serves HTTP. Add --listen, such as --listen 127.0.0.1:3000.`,
    );
  return { kind: 'stdio' };
}

function readHttpFace(values: BridgeValues, address: ListenAddress): HttpFace {
  const authentication = readAuthentication(values);
  const hosts = values['allow-host'];
  if (authentication === undefined) refuseStrangers(address, hosts);
  for (const host of hosts)
    if (!/^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.test(host))
      throw new CliError(
        'usage',
        `--allow-host ${JSON.stringify(host)} is no host, such as mcp.example.com or mcp.example.com:8443.`,
      );
  const audience =
    authentication === undefined || authentication.kind === 'tokens' ? undefined : authentication.audience;
  return {
    kind: 'http',
    address,
    sse: values.sse,
    allowedHosts: [...(audience === undefined ? [] : [new URL(audience).hostname]), ...hosts],
    allowedOrigins: values['allow-origin'].map(readOrigin),
    authentication,
  };
}

const HOW =
  'Add --issuer URL and --audience URL (tokens of an authorization server), --introspection URL, or --token-file FILE (a few tokens of your own)';

/** Without authentication all callers are one, with one login upstream and one set of processes: only this machine may be that caller. */
function refuseStrangers({ host, isLoopback }: ListenAddress, hosts: readonly string[]): void {
  if (!isLoopback)
    throw new CliError(
      'usage',
      `--listen ${host}: other machines could use the server as you, because callers do not have to say who they are. ${HOW}; or listen on 127.0.0.1.`,
    );
  if (hosts.length > 0)
    throw new CliError(
      'usage',
      `--allow-host lets callers of other machines in, through a proxy, and callers do not have to say who they are. ${HOW}.`,
    );
}

function readAuthentication(values: BridgeValues): FaceAuthentication | undefined {
  const { issuer, audience, scope, introspection, 'token-file': path } = values;
  const client = values['introspection-client'];
  const secret = values['introspection-secret'];
  if (path !== undefined) {
    const [other] = givenAmong(values, ['issuer', 'audience', 'scope', 'introspection']);
    if (other !== undefined)
      throw new CliError(
        'usage',
        `--token-file and --${other} are two ways to authenticate callers. Give one of them.`,
      );
    return { kind: 'tokens', path };
  }
  if (introspection === undefined && (client !== undefined || secret !== undefined))
    throw new CliError('usage', '--introspection-client and --introspection-secret need --introspection URL.');
  if (issuer === undefined) {
    const [lone] = givenAmong(values, ['audience', 'scope', 'introspection']);
    if (lone === undefined) return undefined;
    throw new CliError('usage', `--${lone} needs --issuer URL, the authorization server that clients log in at.`);
  }
  if (audience === undefined)
    throw new CliError(
      'usage',
      '--issuer needs --audience URL: the address under which clients reach this bridge, which their tokens must name.',
    );
  checkUrl('--audience', audience);
  const common = { issuer: secureUrl('--issuer', issuer), audience, scopes: scope };
  if (introspection === undefined) return { kind: 'issuer', ...common };
  if (client === undefined || secret === undefined)
    throw new CliError('usage', '--introspection needs --introspection-client ID and --introspection-secret @FILE.');
  const endpoint = secureUrl('--introspection', introspection);
  return { kind: 'introspection', endpoint, client, secret: secretSource('--introspection-secret', secret), ...common };
}

/** https, or http on this machine: keys and tokens that come over anything else can be another's. */
function secureUrl(option: string, text: string): string {
  const url = checkUrl(option, text);
  const isLocal = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(url.hostname);
  if (url.protocol === 'https:' || isLocal) return text;
  throw new CliError(
    'usage',
    `${option} ${JSON.stringify(text)}: https: is needed, except for addresses of this machine.`,
  );
}

function checkUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.hash !== '')
    throw new CliError('usage', `${option} must be a URL that begins with https://, without a name or a fragment.`);
  return url;
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && url.origin !== 'null' && url.origin === text) return text;
  throw new CliError('usage', `--allow-origin ${JSON.stringify(text)} is no origin, such as https://app.example.com.`);
}

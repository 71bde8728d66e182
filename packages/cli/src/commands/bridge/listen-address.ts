import type { ListenAddress } from '@crosspoint/gateway/program';
import { CliError } from '../../errors/cli-error.ts';

const FORM = /^(?<host>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+):(?<port>\d{1,5})(?<path>\/[\w./~-]*)?$/;
const LOOPBACK = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/;
const DEFAULT_PATH = '/mcp';

/** Reads `HOST:PORT[/PATH]`. Nothing is guessed: a port alone is refused, since it does not say on which interface. */
export function readListenAddress(text: string): ListenAddress {
  if (/^\d+$/.test(text))
    throw new CliError('usage', `--listen ${text}: write the interface as well, such as --listen 127.0.0.1:${text}`);
  const { host = '', port = '', path = DEFAULT_PATH } = FORM.exec(text)?.groups ?? {};
  if (host === '')
    throw new CliError(
      'usage',
      `--listen ${JSON.stringify(text)} is not HOST:PORT or HOST:PORT/PATH, such as 127.0.0.1:3000/mcp.`,
    );
  const number = Number(port);
  if (number > 65_535) throw new CliError('usage', `--listen ${text}: a port is at most 65535.`);
  if (path !== '/' && /\/$|\/\.{0,2}(?:\/|$)/.test(path))
    throw new CliError('usage', `--listen ${text}: the path must not end in a slash or have empty, "." or ".." parts.`);
  const name = host.startsWith('[') ? host.slice(1, -1) : host.toLowerCase();
  return { host: name, port: number, path, isLoopback: LOOPBACK.test(name) };
}

// supergateway as its program. It has stdio on one side in every cell.
import { listening } from '../loopback.mjs';

export async function start({ face, url, command }) {
  const target =
    url === undefined
      ? ['--stdio', command.map((part) => `'${part}'`).join(' '), '--outputTransport', 'streamableHttp', '--stateful']
      : ['--streamableHttp', url, '--outputTransport', 'stdio'];
  process.argv.splice(2, Infinity, ...target, '--logLevel', 'none');
  await import('../../node_modules/supergateway/dist/index.js');
  return face === 'http' ? { port: await listening } : {};
}

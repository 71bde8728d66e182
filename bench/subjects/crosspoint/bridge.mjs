// The bridge as its program runs it; stdout belongs to the protocol, and nothing is written to stderr.
import { runBridge } from '@crosspoint/gateway/program';
import { listening } from '../loopback.mjs';

export async function start({ face, url, command, options = [] }) {
  const target = url === undefined ? ['--', ...command] : [url];
  void runBridge([
    ...(face === 'http' ? ['--listen', '127.0.0.1:0'] : ['--stdio']),
    '--log',
    'quiet',
    ...options,
    ...target,
  ]);
  return face === 'http' ? { port: await listening } : {};
}

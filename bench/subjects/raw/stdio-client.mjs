import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { Ring } from '../../measure/ring.mjs';

const PREFIX = 'io.modelcontextprotocol/';
const META = {
  [`${PREFIX}protocolVersion`]: '2026-07-28',
  [`${PREFIX}clientInfo`]: { name: 'bench-client', version: '1.0.0' },
  [`${PREFIX}clientCapabilities`]: {},
};

/** A ring of pending calls over lines of JSON. Requests made in one turn are written at once. */
export function start({ command, args, revision }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const decoder = new StringDecoder('utf8');
  const pending = new Ring();
  const meta = revision === '2026-07-28' ? { _meta: META } : {};
  let rest = '';
  let out = '';
  child.stdout.on('data', (chunk) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, result } = JSON.parse(line);
      pending.take(id)(result);
    }
  });
  const flush = () => {
    child.stdin.write(out);
    out = '';
  };
  const call = (name, args) =>
    new Promise((resolve) => {
      const id = pending.add(resolve);
      if (out === '') queueMicrotask(flush);
      const params = { name, arguments: args, ...meta };
      out += `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`;
    });
  return { call, commands: { serverPid: () => child.pid } };
}

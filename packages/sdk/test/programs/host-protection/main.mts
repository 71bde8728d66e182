import { request } from 'node:http';
import { localhostAllowedHostnames } from './names.mjs';
import { say } from '../say.mjs';

const server = new URL(process.env['SERVER'] ?? '');

/** As a browser that was lied to by a name server would: the address is right, the name is another. */
function knock(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const post = request(
      new URL(path, server),
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode));
      },
    );
    post.on('error', reject);
    post.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'knock' } }));
  });
}

for (const name of localhostAllowedHostnames)
  say(`local as ${name}`, await knock('/local', { host: `${name}:${server.port}` }));
say('local as another', await knock('/local', { host: 'evil.example' }));
say('named', await knock('/named', { host: 'mcp.example' }));
say('named as another', await knock('/named', { host: 'localhost' }));
say('by hand', await knock('/by-hand', { host: 'hand.example:8080' }));
say('by hand as another', await knock('/by-hand', { host: 'evil.example:8080' }));
say('by hand, local', await knock('/by-hand-local', {}));
say('by hand, local as another', await knock('/by-hand-local', { host: 'evil.example' }));
const own = { 'x-expected-host': server.host };
say('guarded', await knock('/guarded', { ...own }));
say('guarded, a friend', await knock('/guarded', { ...own, origin: 'https://friend.example' }));
say('guarded, a foe', await knock('/guarded', { ...own, origin: 'https://foe.example' }));
say('guarded, another host', await knock('/guarded', { ...own, host: 'evil.example' }));
say('done');

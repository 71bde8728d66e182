// Serves peers: `serve.mjs stdio one`, or `serve.mjs http one two ours:<revision> …`, which prints the addresses as a line of JSON.
// Each name gets a server of its own, so that what one conversation changes is seen by no other.
import { createServer } from 'node:http';

/** Each loads its SDK alone: a process over stdio serves one of them. */
const PEERS = {
  one: async () => {
    const { oneListener, serveOneStdio } = await import('./official-one.mjs');
    return { listener: oneListener, stdio: serveOneStdio };
  },
  two: async () => {
    const { serveTwoStdio, twoListener } = await import('./official-two.mjs');
    return { listener: twoListener, stdio: serveTwoStdio };
  },
  ours: async (revisions) => {
    const { oursListener, serveOursStdio } = await import('./ours.mjs');
    return { listener: () => oursListener(revisions), stdio: () => serveOursStdio(revisions) };
  },
};

async function peerOf(name) {
  const [kind, revisions = ''] = name.split(':');
  return PEERS[kind](revisions.split(','));
}

async function listen(name) {
  const http = createServer((await peerOf(name)).listener());
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  // The oldest revision has a carrier of its own.
  return `http://127.0.0.1:${http.address().port}/${name.endsWith('2024-11-05') ? 'sse' : 'mcp'}`;
}

const [carrier, ...names] = process.argv.slice(2);
if (carrier === 'http') {
  console.log(JSON.stringify(await Promise.all(names.map(listen))));
  // Ends with the program that started it.
  process.stdin.on('end', () => process.exit(0)).resume();
} else await (await peerOf(names[0])).stdio();

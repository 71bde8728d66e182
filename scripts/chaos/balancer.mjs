// A load balancer without affinity, in a process of its own: each request goes to the next node that accepts the connection. It receives the ports
// over IPC, and reports its own.
import { Agent, createServer, request as httpRequest } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
let ports = [];
let next = 0;

process.on('message', (told) => {
  ports = told;
});
process.on('disconnect', () => process.exit());

const server = createServer((incoming, outgoing) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => pass(incoming, outgoing, Buffer.concat(chunks), 3));
});

/** A node that refuses the connection has seen nothing, so another may be tried; a later failure is passed on to the client. */
function pass(incoming, outgoing, body, tries) {
  const port = ports[(next = (next + 1) % Math.max(1, ports.length))];
  const again = () => {
    if (tries > 1) return pass(incoming, outgoing, body, tries - 1);
    outgoing.writeHead(502, { 'content-type': 'text/plain' }).end('No node answers.');
  };
  if (port === undefined) return again();
  const headers = { ...incoming.headers, host: `127.0.0.1:${port}` };
  const { method, url: path } = incoming;
  const upstream = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
    answer.on('aborted', () => outgoing.destroy());
  });
  upstream.on('error', (error) => {
    if (error.code === 'ECONNREFUSED') return again();
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502, { 'content-type': 'text/plain' }).end('The node broke off.');
  });
  outgoing.on('close', () => upstream.destroy());
  upstream.end(body);
}

server.listen(0, '127.0.0.1', () => process.send(server.address().port));

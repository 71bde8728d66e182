// A balancer without affinity: each request goes to the next node that takes the connection.
import { Agent, createServer, request as httpRequest } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

export async function startBalancer(nodes) {
  let next = 0;
  const server = createServer((incoming, outgoing) => {
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => pass(incoming, outgoing, Buffer.concat(chunks), nodes.length));
  });

  /** A node that refuses the connection has seen nothing, so another may be asked; what breaks later is told. */
  const pass = (incoming, outgoing, body, tries) => {
    const node = nodes[(next = (next + 1) % nodes.length)];
    const again = () => {
      if (tries > 1) return pass(incoming, outgoing, body, tries - 1);
      outgoing.writeHead(502, { 'content-type': 'text/plain' }).end('No node answers.');
    };
    if (node.port === undefined) return again();
    const upstream = httpRequest(
      {
        host: '127.0.0.1',
        port: node.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, host: `127.0.0.1:${node.port}` },
        agent,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode, answer.headers);
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
        answer.on('aborted', () => outgoing.destroy());
      },
    );
    upstream.on('error', (error) => {
      if (error.code === 'ECONNREFUSED') return again();
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502, { 'content-type': 'text/plain' }).end('The node broke off.');
    });
    outgoing.on('close', () => upstream.destroy());
    upstream.end(body);
  };

  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}

// mcp-proxy: its program before a server that is a program; its library, as its documents show, in the other cells.
import { listening } from '../loopback.mjs';

const CLIENT = { name: 'mcp-proxy', version: '1.0.0' };

export async function start({ face, url, command, family }) {
  const upstreamProtocol = family === 'per-request' ? 'modern' : 'legacy';
  if (url === undefined) await runProgram(command, upstreamProtocol);
  else if (face === 'http') await serveHttp(url, upstreamProtocol);
  else {
    const { ServerType, startStdioServer } = await import('mcp-proxy');
    return void (await startStdioServer({ serverType: ServerType.HTTPStream, url, upstreamProtocol }));
  }
  return { port: await listening };
}

async function runProgram(command, upstreamProtocol) {
  process.argv.splice(2, Infinity, '--server', 'stream', '--upstreamProtocol', upstreamProtocol, '--', ...command);
  console.info = () => {};
  await import('../../node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs');
}

async function serveHttp(url, upstreamProtocol) {
  const { proxyServer, resolveVersionNegotiation, startHTTPServer } = await import('mcp-proxy');
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { Server } = await import('@modelcontextprotocol/server');
  const client = new Client(CLIENT, {
    capabilities: {},
    versionNegotiation: resolveVersionNegotiation(upstreamProtocol),
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const serverCapabilities = client.getServerCapabilities();
  const createServer = async () => {
    const server = new Server(client.getServerVersion(), { capabilities: serverCapabilities });
    await proxyServer({ client, server, serverCapabilities });
    return server;
  };
  await startHTTPServer({ createServer, port: 0, sseEndpoint: null });
}

/**
 * The start of a program that hands requests to the endpoint as Node does, without sockets: what is counted is then the library's own.
 * `exchange(message, headers)` gives the response once it has ended.
 */
export const HTTP_PROGRAM: string = `
import * as z from 'zod';
import { McpServer, createMcpHandler } from 'crosspoint/server';
const server = new McpServer({ name: 'adder', version: '1.0.0' });
server.registerTool(
  'add',
  { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
  async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
);
const socket = { localAddress: '127.0.0.1', remoteAddress: '127.0.0.1' };
class Asked {
  method = 'POST';
  url = '/mcp';
  socket = socket;
  constructor(body, headers) { this.headers = headers; this.body = undefined; this.arrived = body; }
  read() { const { arrived } = this; this.arrived = null; return arrived; }
  on() {} off() {} resume() {}
}
class Answered {
  headersSent = false; destroyed = false; writableEnded = false; writableFinished = false; writableLength = 0;
  head = undefined; text = '';
  ended = new Promise((resolve) => { this.resolve = resolve; });
  writeHead(status, headers) { this.headersSent = true; this.head = headers; this.status = status; }
  flushHeaders() {} cork() {} uncork() {} on() {} destroy() {}
  write(text) { this.text += text; return true; }
  end(text = '') { this.text += text; this.writableEnded = this.writableFinished = true; this.resolve(this); }
}
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'caller', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const PLAIN = {
  host: '127.0.0.1:3000', 'content-type': 'application/json', accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};
const request = (message, headers) => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  return new Asked(body, { ...PLAIN, ...headers, 'content-length': String(body.length) });
};
const exchange = async (handler, asked) => {
  const answered = new Answered();
  await handler.node(asked, answered);
  return answered.ended;
};
const call = (a, headers, more) =>
  request({ id: a, method: 'tools/call', params: { name: 'add', arguments: { a, b: 2 }, ...more } }, headers);
const openSession = async (handler) => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'caller', version: '1.0.0' } };
  const { head } = await exchange(handler, request({ id: 0, method: 'initialize', params }, {}));
  const session = { 'mcp-session-id': head['Mcp-Session-Id'] };
  await exchange(handler, request({ method: 'notifications/initialized' }, session));
  return session;
};`;

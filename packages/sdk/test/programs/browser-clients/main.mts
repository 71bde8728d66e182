import { say } from '../say.mjs';

const endpoint = `${process.env['SERVER']}/mcp`;
const origin = 'https://page.example';
const READABLE = ['access-control-allow-origin', 'access-control-expose-headers', 'access-control-allow-headers'];
const crossOrigin = ({ headers }: Response): unknown =>
  Object.fromEntries(READABLE.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : [])));

/** As a browser asks before it lets a page send a request elsewhere. */
const preflight = await fetch(endpoint, {
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
});
say('preflight', { status: preflight.status, headers: crossOrigin(preflight) });

async function post(message: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(endpoint, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1.0.0' } };
const opened = await post({ id: 1, method: 'initialize', params: hello });
await opened.text();
const session = opened.headers.get('mcp-session-id') ?? '';
say('opened', { status: opened.status, headers: crossOrigin(opened), session });
const ready = await post({ method: 'notifications/initialized' }, { 'mcp-session-id': session });
say('ready', ready.status);
const called = await post(
  { id: 2, method: 'tools/call', params: { name: 'greet' } },
  { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
);
const data = /^data: (.+)$/m.exec(await called.text())?.[1];
say('called', { status: called.status, headers: crossOrigin(called), answer: JSON.parse(data ?? 'null') as unknown });
const ended = await fetch(endpoint, { method: 'DELETE', headers: { origin, 'mcp-session-id': session } });
say('ended', { status: ended.status, headers: crossOrigin(ended) });
say('done');

import { once } from 'node:events';
import { createServer } from 'node:http';
import { createAuthorizationServer, passwordLogin } from '@crosspoint/authorization-server';
import { requireBearerAuth } from 'crosspoint/auth/server';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';
import { z } from 'zod';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server over HTTP whose reports are tasks, and which asks the model of its client. It tells the header that it was given. */
function reports() {
  const server = new McpServer({ name: 'reports', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.use(tasks({ pollIntervalMs: 30 }));
  server.registerTool(
    'quarter',
    { description: 'Makes the report of a quarter.', inputSchema: { quarter: z.string() }, task: 'required' },
    async ({ quarter }, ctx) => {
      await ctx.task?.setStatus('collecting');
      await pause(90);
      return text(`The report of ${quarter}`);
    },
  );
  server.registerTool('summary', { description: 'Sums a report up.' }, async (ctx) => {
    ctx.log('warning', `the key is ${new Headers(ctx.requestInfo?.headers).get('x-api-key')}`);
    const { content } = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Sum it up.' } }],
      maxTokens: 100,
    });
    return text(`Summary: ${content.text}`);
  });
  return server;
}

/** Customers, readable after one login and writable after another. */
function customers(noise) {
  const server = new McpServer({ name: 'crm', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool('find', { description: 'Finds a customer.', inputSchema: { name: z.string() } }, ({ name }) =>
    text(`${name} is a customer.`),
  );
  server.registerTool(
    'note',
    { description: 'Notes something.', inputSchema: z.looseObject({ about: z.string() }), scopes: ['crm:write'] },
    async (_, ctx) => {
      ctx.log('warning', `token ${ctx.authInfo?.token}`);
      for (const line of noise) ctx.log('warning', line);
      return { isError: true, content: [{ type: 'text', text: 'The note is too long.' }] };
    },
  );
  return server;
}

async function listening(http) {
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return `http://127.0.0.1:${http.address().port}`;
}

/** Starts both servers. `password`: that of the person who logs in. */
export async function startServers({ password, noise }) {
  const open = createServer();
  const guarded = createServer();
  const [openAt, origin] = await Promise.all([listening(open), listening(guarded)]);
  const handler = createMcpHandler(reports(), { path: '/mcp' });
  open.on('request', (request, response) => void handler.node(request, response));
  const audience = `${origin}/mcp`;
  const authorization = createAuthorizationServer({
    issuer: origin,
    resource: audience,
    scopes: ['crm:read', 'crm:write'],
    defaultScopes: ['crm:read'],
    login: passwordLogin({ check: (name, given) => (given === password ? { sub: name } : undefined) }),
  });
  const { issuer, verifier } = authorization;
  const auth = requireBearerAuth({ verifier, authorizationServers: [issuer], audience, scopes: ['crm:read'] });
  const behind = createMcpHandler(customers(noise), { auth, path: '/mcp' });
  guarded.on('request', (request, response) =>
    authorization.router(request, response, () => void behind.node(request, response)),
  );
  return {
    reports: `${openAt}/mcp`,
    crm: audience,
    async close() {
      for (const http of [open, guarded]) http.close();
      await Promise.all([handler, behind].map((one) => one.close({ grace: 200 })));
      for (const http of [open, guarded]) http.closeAllConnections();
    },
  };
}

/** Logs in on the pages of the authorization server as a person would. `seen` is given every address on the way. */
export function personWith(password, seen) {
  let cookie = '';
  return async (page) => {
    seen(page.href);
    const post = (fields) =>
      fetch(page, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin: page.origin, ...(cookie !== '' && { cookie }) },
        redirect: 'manual',
      });
    const answer = await post({ action: 'login', username: 'ada', password });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const token = /name="token" value="([^"]*)"/.exec(await answer.text())?.[1] ?? '';
    const agreed = await post({ action: 'approve', token });
    const back = agreed.headers.get('location') ?? '';
    seen(back);
    await fetch(back);
  };
}

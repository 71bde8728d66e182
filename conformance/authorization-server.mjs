// The authorization server for the official suite: one client, and no user is asked for consent.
//   node conformance/authorization-server.mjs --port N
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { createAuthorizationServer, unattendedLogin } from '@crosspoint/authorization-server';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const CLIENT_ID = 'conformance-client';
const REDIRECT_URI = 'http://127.0.0.1:3999/callback';

let served;
const http = createServer((request, response) => void served.node(request, response));
http.listen(Number(values.port), '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${http.address().port}`;
  served = createAuthorizationServer({
    issuer,
    resource: `${issuer}/mcp`,
    scopes: ['mcp'],
    clients: [{ client_id: CLIENT_ID, client_name: 'Conformance suite', redirect_uris: [REDIRECT_URI] }],
    login: unattendedLogin({ sub: 'tester', name: 'Tester' }),
  });
  console.log(`issuer: ${issuer}\nclient_id: ${CLIENT_ID}`);
});

import { AUTH } from './auth-callbacks.ts';
import { CLIENT, OBSERVERS } from './client-callbacks.ts';
import { FURTHER } from './further-callbacks.ts';
import { LOGIN } from './login-callbacks.ts';
import { RECORDING } from './recording-callbacks.ts';
import { SERVER } from './server-callbacks.ts';
import { STORE } from './store-callbacks.ts';
import { checkTable } from './table-checks.ts';
import { TABLE } from './table.ts';

const prefixed = (prefix: string, drivers: object): string[] => Object.keys(drivers).map((name) => `${prefix}${name}`);

checkTable({
  table: TABLE,
  drivers: new Set([
    ...Object.keys(SERVER),
    ...Object.keys(FURTHER),
    ...Object.keys(RECORDING),
    ...prefixed('client:', { ...CLIENT, ...OBSERVERS }),
    ...Object.keys(STORE),
    ...prefixed('auth:', { ...AUTH, ...LOGIN }),
  ]),
  // The host and the gateway have tables of their own.
  isOwn: (file) => !file.startsWith('host/') && !file.startsWith('gateway/'),
  // Each in another form: a member, an alias, a union, a method, a parameter, a property of a class, a record.
  samples: [
    'McpHandlerOptions.authenticate',
    'ListChangedOptions.onChanged',
    'BearerAuthOptions.verifier',
    'Store.subscribe',
    'McpServer.registerTool(callback)',
    'Server.oninitialized',
    'ResourceTemplateCallbacks.complete',
  ],
  extra: ['inputSchema', 'store listener'],
});

/** One file of each format, with every documented field. Texts that begin with `CANARY` are secrets that nothing may print. */
import type { FileFormatId } from '../../src/config/formats/format.ts';
import type { JsonObject } from '../../src/values/json.ts';

const claudeDesktop = {
  mcpServers: {
    fs: { command: 'npx', args: ['-y', '@acme/fs@1.2.3', '/data'], env: { LOG: 'debug', API_KEY: 'CANARY-desktop' } },
    plain: { command: '/opt/plain', disabled: true },
  },
  globalShortcut: 'Ctrl+Space',
};

const claudeCode = {
  mcpServers: {
    a: {
      type: 'stdio',
      command: '${BIN:-node}',
      args: ['server.mjs', '--mode', '${MODE}'],
      env: { TOKEN: '${TOKEN}' },
    },
    b: {
      type: 'http',
      url: '${BASE:-https://example.com}/mcp',
      headers: {
        Authorization: 'Bearer ${KEY}',
        'X-Fixed': 'CANARY-header',
        'X-Other': 'Key ${OTHER:-CANARY-default}',
      },
      timeout: 600_000,
      alwaysLoad: true,
      headersHelper: '/opt/h.sh',
      oauth: {
        clientId: 'client-1',
        callbackPort: 8080,
        scopes: 'read write',
        authServerMetadataUrl: 'https://auth.example.com/.well-known/x',
      },
    },
    c: { type: 'sse', url: 'https://example.com/sse' },
  },
};

const vscode = {
  inputs: [
    { type: 'promptString', id: 'api-key', description: 'Key of the API', password: true },
    { type: 'promptString', id: 'region', description: 'Region', default: 'eu' },
    { type: 'pickString', id: 'stage', description: 'Stage', options: ['dev', { label: 'Production', value: 'prod' }] },
    { type: 'command', id: 'tok', command: 'ext.getKey', args: { a: 1 } },
  ],
  servers: {
    s: {
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'pkg@1.0.0', '${input:region}', '${workspaceFolder}${/}data'],
      env: { K: '${input:api-key}', N: null, H: '${env:HOME}', FIXED_SECRET: 'CANARY-vscode' },
      envFile: '${workspaceFolder}/.env',
      cwd: '${workspaceFolder}',
      sandboxEnabled: true,
      sandbox: { filesystem: { allowWrite: ['${workspaceFolder}'] }, network: { allowedDomains: ['api.example.com'] } },
      dev: { watch: 'src/**', debug: { type: 'node' } },
    },
    h: {
      type: 'http',
      url: 'https://example.com/mcp',
      headers: { 'X-Stage': '${input:stage}' },
      oauth: { clientId: 'client-2', enterpriseManaged: true },
    },
    e: { type: 'sse', url: 'https://example.com/sse' },
  },
  sandbox: { filesystem: { denyRead: ['${userHome}/.ssh'] }, network: { deniedDomains: ['evil.example'] } },
};

const cursor = {
  mcpServers: {
    local: {
      type: 'stdio',
      command: 'python',
      args: ['${workspaceFolder}/server.py', '${userHome}', '${workspaceFolderBasename}', '${pathSeparator}'],
      env: { API_KEY: '${env:API_KEY}' },
      envFile: '.env',
    },
    remote: {
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer ${env:TOKEN}' },
      auth: { CLIENT_ID: 'client-3', CLIENT_SECRET: 'CANARY-cursor', scopes: ['read', 'write'] },
    },
  },
};

const crosspoint = {
  crosspoint: 1,
  inputs: [
    {
      id: 'count',
      type: 'number',
      title: 'Count',
      description: 'How many',
      secret: false,
      required: true,
      minimum: 1,
      maximum: 9,
      default: 3,
    },
    { id: 'dirs', type: 'directory', title: 'Folders', list: true },
    { id: 'mode', type: 'choice', options: [{ label: 'Fast', value: 'fast' }], default: 'fast' },
    { id: 'pin', type: 'text', secret: true },
  ],
  servers: {
    all: {
      type: 'stdio',
      command: 'node',
      args: ['${env:SCRIPT:-server.mjs}', '${input:mode}'],
      env: { KEY: '${secret:acme}', OUT: null },
      envFile: '${workspaceFolder}/.env',
      cwd: '${userHome}',
      disabled: true,
      timeoutMs: 5000,
      alwaysLoad: true,
      roots: ['${workspaceFolder}'],
      trusted: true,
    },
    web: {
      type: 'http',
      url: 'https://example.com/mcp?stage=${input:mode}',
      headers: { Authorization: 'Bearer ${secret:web}' },
      oauth: {
        clientId: 'client-4',
        clientSecret: '${secret:client}',
        scopes: ['read'],
        callbackPort: 8081,
        authServerMetadataUrl: 'https://auth.example.com/x',
      },
    },
    old: { type: 'sse', url: 'https://example.com/sse', headers: { 'X-Key': 'CANARY-crosspoint' } },
  },
};

export const SAMPLES: Readonly<Record<FileFormatId, JsonObject>> = {
  'claude-desktop': claudeDesktop,
  'claude-code': claudeCode,
  vscode,
  cursor,
  crosspoint,
};

export const FORMAT_IDS = Object.keys(SAMPLES) as FileFormatId[];

export const textOf = (format: FileFormatId): string => JSON.stringify(SAMPLES[format], null, 2);

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FOLDER = join(ROOT, '.cache', 'declarations');

/** A library that exports what functions of `crosspoint` return. Its declarations have to name the types, so an entry has to export them. */
const LIBRARY = `
import { z } from 'zod';
import { InMemoryTransport, defineExtension, protocolRevisions, text } from 'crosspoint';
import { explainAuth } from 'crosspoint/auth';
import { jwtVerifier, requireBearerAuth } from 'crosspoint/auth/server';
import { createAuthorizationServer, passwordLogin, thirdParty, unattendedLogin, upstreamLogin } from '@crosspoint/authorization-server';
import { createLogin } from 'crosspoint/auth/node';
import { Client, createVerdictMemory, describeUrl, fetchIcon, httpFailureOf, provideRoots, readForm } from 'crosspoint/client';
import { AppsClient, apps } from '@crosspoint/apps/client';
import { SkillsClient } from '@crosspoint/skills/client';
import { StdioClientTransport, TransportClient } from 'crosspoint/client/stdio';
import { logCalls } from 'crosspoint/middleware';
import { fromOpenApi } from '@crosspoint/openapi';
import { readSession, recordSession } from '@crosspoint/recording';
import { compileSchema } from 'crosspoint/schema';
import { McpServer, ResourceTemplate, completable, createHandles, createMcpHandler, definePrompt, defineResource, defineServer, defineTool, memoryStore } from 'crosspoint/server';
import { mount } from 'crosspoint/server/mounting';
import { SkillCatalog, SkillsExtension, memorySkillFiles } from '@crosspoint/skills/server';
import { serveStdio } from 'crosspoint/server/stdio';
import { acquireLease } from 'crosspoint/stores';
import { openSqliteStore } from 'crosspoint/stores/sqlite';
import { telemetry } from 'crosspoint/telemetry';
import { connectLinked, expectConformant } from 'crosspoint/testing';

declare const given: never;
const info = { name: 'library', version: '1.0.0' };

export const server = new McpServer(info);
export const tool = server.registerTool(
  'count',
  { inputSchema: { a: z.string() }, outputSchema: { b: z.number() } },
  ({ a }) => ({ content: [], structuredContent: { b: a.length } }),
);
export const prompt = server.registerPrompt('p', { argsSchema: { a: completable(z.string(), () => []) } }, () => ({ messages: [] }));
export const resource = server.registerResource('r', new ResourceTemplate('a:{b}', { list: undefined }), {}, () => ({ contents: [] }));
export const mounted = mount(server, 'other', given);
export const handler = createMcpHandler(server);
export const handles = createHandles(given);
export const store = memoryStore();
export const file = openSqliteStore('store.db');
export const lease = acquireLease(store, 'key', { ttlMs: 1000, holder: 'one' });
export const onStdio = serveStdio(server);
export const said = text('hello');
export const recording = recordSession(() => {});
export const recorded = readSession('');

export const defined = defineServer({
  info,
  tools: [defineTool('length', { inputSchema: z.object({ a: z.string() }), outputSchema: z.object({ b: z.number() }) }, ({ a }) => ({ structuredContent: { b: a.length } }))],
  prompts: [definePrompt('ask', { argsSchema: { a: z.string() } }, () => ({ messages: [] }))],
  resources: [defineResource('one', 'a:b', {}, () => ({ contents: [] }))],
});
export const oneTool = defineTool('length', { inputSchema: z.object({ a: z.string() }) }, ({ a }) => text(a));

export const client = new Client(info);
export const typed = client.as<typeof defined>();
export const called = typed.call('length', { a: '' });
export const listed = client.listTools();
export const result = client.callTool({ name: 'length' });
export const watching = client.watch({ tools: true }, given);
export const listening = client.listen(given);
export const memory = createVerdictMemory();
export const form = readForm({ type: 'object', properties: {} });
export const address = describeUrl('https://example.com');
export const icon = fetchIcon(given);
export const failure = httpFailureOf(given);
export const roots = provideRoots(client, []);
export const child = new StdioClientTransport({ command: 'node' });
export const overTransport = new TransportClient(info);
export const pair = InMemoryTransport.createLinkedPair();
export const skills = new SkillsClient(client);
export const listedSkills = skills.list();
export const documents = new AppsClient(client);
export const half = apps;
export const catalog = SkillCatalog.load(memorySkillFiles({}));
export const offered = new SkillsExtension(given);

export const issuer = createAuthorizationServer(given);
export const gate = requireBearerAuth(given);
export const verifier = jwtVerifier(given);
export const logins = [passwordLogin(given), unattendedLogin(given), upstreamLogin(given)] as const;
export const connected = thirdParty(given);
export const login = createLogin(given);
export const explained = explainAuth('https://example.com/mcp');

export const api = fromOpenApi(given);
export const log = logCalls(given);
export const spans = telemetry();
export const compiled = compileSchema({});
export const checked = compiled.validate({});
export const extension = defineExtension({ id: 'com.example/one' });
export const revisions = protocolRevisions;
export const linked = connectLinked(server);
export const conformance = expectConformant(given);
`;

const CONFIG = {
  extends: '../../tsconfig.base.json',
  compilerOptions: {
    composite: false,
    isolatedDeclarations: false,
    declaration: true,
    declarationMap: false,
    emitDeclarationOnly: true,
    sourceMap: false,
    outDir: 'out',
    rootDir: '.',
    types: ['node'],
  },
  files: ['library.ts'],
};

it(
  'a library can export what the functions of crosspoint return: every type of it has a public name',
  { timeout: 60_000 },
  () => {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, 'library.ts'), LIBRARY);
    writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify(CONFIG));
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', FOLDER], { cwd: ROOT, encoding: 'utf8' });
    expect(stdout).toBe('');
  },
);

// Every line that names an error must have it, and no other line may have one.
import { McpServer as OldServer } from '@crosspoint/sdk/server/mcp.js';
import { createAuthorizationServer } from '@crosspoint/authorization-server';
import type { Client } from 'crosspoint/client';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import { memorySkillFiles } from '@crosspoint/skills/server';
import { redisStore } from 'crosspoint/stores/redis';
import * as z from 'zod';
import type { greeter } from './greeter.js';

const server = new McpServer({ name: 'greeter', version: 1 }); // TS2322
const inputSchema = { name: z.string() };
server.registerTool('greet', { inputSchema }, ({ nobody }) => text(String(nobody))); // TS2339
server.registerTool('greet', { inputSchema }, ({ name }) => text(name satisfies string satisfies number)); // TS1360

export async function callWrongly(client: Client): Promise<void> {
  await client.callTool({ name: 1 }); // TS2322
  const typed = client.as<typeof greeter>();
  await typed.call('measure', { name: 1 }); // TS2322
  const { length } = await typed.call('measure', { name: 'Ada' });
  length satisfies string; // TS1360
}

redisStore(42); // TS2345
memorySkillFiles({ 'SKILL.md': 1 }); // TS2322
createMcpHandler(server, { store: 1 }); // TS2322
createAuthorizationServer({ issuer: 1 }); // TS2322

const old = new OldServer({ name: 'greeter', version: '1.0.0' });
old.registerTool('greet', { inputSchema }, ({ nobody }) => ({ content: [nobody] })); // TS2339

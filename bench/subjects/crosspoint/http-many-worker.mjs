// A worker of http-many.mjs: node http-many-worker.mjs <mode> <file>
import { createMcpHandler } from 'crosspoint/server';
import { sqliteStore } from 'crosspoint/stores/sqlite';
import { listen } from '../listen.mjs';
import { createServer } from './server.mjs';

const [mode, file] = process.argv.slice(2);

async function storeAt(path) {
  const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
  return sqliteStore(new DatabaseSync(path));
}

const kept = mode === 'session' ? { store: await storeAt(file) } : { sessions: false };
const handler = createMcpHandler(await createServer({}), { path: '/mcp', ...kept });
await listen((request, response) => void handler.node(request, response));
process.on('disconnect', () => process.exit(0));

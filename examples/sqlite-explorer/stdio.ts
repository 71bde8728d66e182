import { serveStdio } from 'crosspoint/server/stdio';
import { createExplorerServer } from './explorer-server.ts';
import { openDatabase } from './open-database.ts';

const path = process.argv[2];
if (path === undefined) {
  console.error('Which database? node examples/dist/sqlite-explorer/stdio.js <file>');
  process.exit(2);
}
await serveStdio(createExplorerServer(await openDatabase(path)));

import { McpServer, ResourceTemplate, ToolError } from 'crosspoint/server';
import * as z from 'zod';
import type { Database } from './open-database.ts';

const MAX_ROWS = 100;
const MAX_CELL = 1000;

/** Lets a model explore a database: tables are resources, and a tool runs SQL queries. Nothing can be changed. */
export function createExplorerServer(database: Database): McpServer {
  const server = new McpServer({ name: 'sqlite-explorer', version: '1.0.0' });

  server.registerResource(
    'table',
    new ResourceTemplate('schema://{table}', {
      list: () => ({
        resources: tablesOf(database).map(({ name }) => ({
          uri: `schema://${encodeURIComponent(name)}`,
          name,
          mimeType: 'application/sql',
        })),
      }),
      complete: { table: (typed) => tablesOf(database).flatMap(({ name }) => (name.startsWith(typed) ? [name] : [])) },
    }),
    { description: 'How a table was made' },
    (uri, { table }) => {
      const found = tablesOf(database).find(({ name }) => name === table);
      // `undefined` means: there is no such resource.
      return found && { contents: [{ uri: uri.href, mimeType: 'application/sql', text: found.sql }] };
    },
  );

  server.registerTool(
    'query',
    {
      description: `Runs one SELECT and gives at most ${MAX_ROWS} rows`,
      inputSchema: { sql: z.string().max(10_000), limit: z.number().int().min(1).max(MAX_ROWS).default(20) },
      outputSchema: { rows: z.array(z.record(z.string(), z.unknown())), more: z.boolean() },
      annotations: { readOnlyHint: true },
    },
    ({ sql, limit }) => {
      const rows = select(database, sql, limit + 1);
      return { structuredContent: { rows: rows.slice(0, limit).map(shortened), more: rows.length > limit } };
    },
  );

  server.registerPrompt('explore', { description: 'Begins a conversation about the database' }, () => ({
    messages: [
      {
        role: 'user',
        content: {
          type: 'text',
          text: `The tables are:\n\n${tablesOf(database)
            .map(({ sql }) => sql)
            .join('\n')}\n\nWhat is in them?`,
        },
      },
    ],
  }));
  return server;
}

function tablesOf(database: Database): { name: string; sql: string }[] {
  const sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
  return database.all(sql) as { name: string; sql: string }[];
}

/** Runs the query as part of a larger SELECT, so that it cannot be another statement and is cut off. The model reads SQLite's error messages. */
function select(database: Database, sql: string, limit: number): Record<string, unknown>[] {
  const query = sql.replace(/;\s*$/, '');
  if (query.includes(';')) throw new ToolError('The query failed: give one SELECT, without semicolons in it.');
  try {
    return database.all(`SELECT * FROM (${query}\n) LIMIT ${limit}`);
  } catch (error) {
    throw new ToolError(`The query failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function shortened(row: Record<string, unknown>): Record<string, unknown> {
  const cut = (value: unknown): unknown => {
    if (value instanceof Uint8Array) return `(${value.length} bytes)`;
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' && value.length > MAX_CELL ? `${value.slice(0, MAX_CELL)}…` : value;
  };
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, cut(value)]));
}

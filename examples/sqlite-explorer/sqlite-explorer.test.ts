import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { connectLinked, type Linked } from 'crosspoint/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createExplorerServer } from './explorer-server.ts';
import { openDatabase, type Database } from './open-database.ts';

let folder: string;
let database: Database;
let linked: Linked;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'explorer-'));
  const path = join(folder, 'music.db');
  const made = new DatabaseSync(path);
  made.exec('CREATE TABLE songs (title TEXT, seconds INTEGER)');
  made.exec("INSERT INTO songs VALUES ('Alpha', 200), ('Beta', 300), ('Gamma', 400)");
  made.exec(`INSERT INTO songs VALUES ('${'x'.repeat(5000)}', 1)`);
  made.close();
  database = await openDatabase(path);
  linked = await connectLinked(createExplorerServer(database));
});
afterEach(async () => {
  await linked.close();
  database.close();
  await rm(folder, { recursive: true, force: true });
});

const query = (sql: string, limit?: number) =>
  linked.client.callTool({ name: 'query', arguments: { sql, ...(limit !== undefined && { limit }) } });

test('the tables are resources', async () => {
  const { client } = linked;
  expect((await client.listResources()).resources).toEqual([
    { uri: 'schema://songs', name: 'songs', description: 'How a table was made', mimeType: 'application/sql' },
  ]);
  expect((await client.readResource({ uri: 'schema://songs' })).contents).toMatchObject([
    { text: 'CREATE TABLE songs (title TEXT, seconds INTEGER)' },
  ]);
  await expect(client.readResource({ uri: 'schema://none' })).rejects.toThrow('not found');
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'schema://{table}' },
    argument: { name: 'table', value: 'so' },
  });
  expect(completion.values).toEqual(['songs']);
});

test('questions are answered, and no more than was asked for', async () => {
  const { structuredContent } = await query('SELECT title FROM songs WHERE seconds > 250 ORDER BY title;');
  expect(structuredContent).toEqual({ rows: [{ title: 'Beta' }, { title: 'Gamma' }], more: false });
  expect((await query('SELECT * FROM songs', 2)).structuredContent).toMatchObject({ more: true });
  const { structuredContent: long } = await query('SELECT title FROM songs WHERE seconds = 1');
  expect(JSON.stringify(long).length).toBeLessThan(1200);
});

test.each([
  'DELETE FROM songs',
  'SELECT 1; DELETE FROM songs',
  'SELECT 1) ; DELETE FROM songs; --',
  "ATTACH DATABASE 'other.db' AS other",
  'PRAGMA journal_mode = DELETE',
  'nonsense',
])('nothing else is carried out: %s', async (sql) => {
  const result = await query(sql);
  expect(result.isError).toBe(true);
  expect(result.content[0]).toMatchObject({ text: expect.stringContaining('The query failed') });
  expect((await query('SELECT count(*) AS n FROM songs')).structuredContent).toMatchObject({ rows: [{ n: 4 }] });
});

test('a prompt names the tables', async () => {
  const { messages } = await linked.client.getPrompt({ name: 'explore' });
  expect(messages[0]?.content).toMatchObject({ text: expect.stringContaining('CREATE TABLE songs') });
});

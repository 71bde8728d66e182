import { openFile } from './open-database.ts';

const SONGS = [
  ['Morning Raga', 'Strings', 412],
  ['Harbour Lights', 'Tides', 187],
  ['North Wind', 'Tides', 241],
  ['Slow Train', 'Rails', 305],
  ['Signal Box', 'Rails', 198],
] as const;

/** Makes a small database to look around in. */
export async function makeMusic(path: string): Promise<void> {
  const database = await openFile(path, {});
  database.exec('CREATE TABLE albums (title TEXT PRIMARY KEY, year INTEGER)');
  database.exec('CREATE TABLE songs (title TEXT, album TEXT REFERENCES albums, seconds INTEGER)');
  database.exec("INSERT INTO albums VALUES ('Strings', 1971), ('Tides', 1998), ('Rails', 2014)");
  const insert = database.prepare('INSERT INTO songs VALUES (?, ?, ?)');
  for (const song of SONGS) insert.run(...song);
  database.close();
}

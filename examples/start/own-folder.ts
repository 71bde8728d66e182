import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeMusic } from '../sqlite-explorer/music.ts';
import type { HttpEntry } from './http-servers.ts';

/** A folder for this run alone: its configuration, and everything that the host writes down. Nothing of the user's own is read or changed. */
export class OwnFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'crosspoint-start-'));

  /** Configures the servers, those over HTTP and those that are programs. Returns their names. */
  async configure(http: Readonly<Record<string, HttpEntry>>): Promise<readonly string[]> {
    const music = join(this.path, 'music.db');
    await makeMusic(music);
    const servers = {
      explorer: program('sqlite-explorer/stdio.js', music),
      echo: program('echo/stdio.js'),
      asking: program('asking/stdio.js'),
      ...http,
    };
    writeFileSync(join(this.path, 'crosspoint.json'), JSON.stringify({ crosspoint: 1, servers }, undefined, 2));
    return Object.keys(servers);
  }

  /** Whether `connect` was typed, and what it opened still runs. */
  get hasKept(): boolean {
    const kept = join(this.path, 'kept');
    return existsSync(kept) && readdirSync(kept).some((name) => name.endsWith('.json'));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function program(path: string, ...args: string[]): object {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  return { command: process.execPath, args: [file, ...args] };
}

import { pointerTo } from '../problem.ts';
import type { ServerEntry } from '../server-entry.ts';
import type { ReachText } from '../texts.ts';
import { claudeCodeShape } from './claude-code.ts';
import { claudeDesktopShape } from './claude-desktop.ts';
import { crosspointShape } from './crosspoint.ts';
import { cursorShape } from './cursor.ts';
import type { FormatShape } from './shape.ts';
import { vscodeShape } from './vscode.ts';

export const SHAPES: readonly FormatShape[] = [
  crosspointShape,
  claudeCodeShape,
  vscodeShape,
  cursorShape,
  claudeDesktopShape,
];

/** The shape of a format of files; `undefined` for what is no file, such as a bundle. */
export function shapeOf(format: string | undefined): FormatShape | undefined {
  return SHAPES.find(({ id }) => id === format);
}

/** The JSON pointer, in the file of an entry, to a text of its reach or to another of its members. */
export function sourcePointer(entry: Pick<ServerEntry, 'name' | 'origin'>, path: ReachText['path']): string {
  const shape = shapeOf(entry.origin.format);
  const base = entry.origin.pointer ?? pointerTo(shape?.key ?? 'servers', entry.name);
  return base + pointerTo(...sourcePath(shape, path));
}

function sourcePath(shape: FormatShape | undefined, path: ReachText['path']): ReachText['path'] {
  const [first, second, ...more] = path;
  if (first === undefined) return [];
  const oauth = shape?.remote?.oauth;
  if (first !== 'oauth' || second === undefined || oauth === undefined)
    return [(shape?.names as Record<string, string> | undefined)?.[String(first)] ?? first, ...path.slice(1)];
  const name = (oauth.names as Record<string, string>)[String(second)] ?? second;
  return [oauth.key, name, ...(second === 'scopes' && oauth.hasScopesAsText === true ? [] : more)];
}

import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import type { FileFormatId } from './format.ts';
import { parseJsonText } from './json-text.ts';

const BY_PATH: readonly (readonly [RegExp, FileFormatId])[] = [
  [/(?:^|\/)crosspoint\.json$/, 'crosspoint'],
  [/(?:^|\/)claude_desktop_config\.json$/, 'claude-desktop'],
  [/(?:^|\/)(?:\.mcp|\.claude|managed-mcp)\.json$/, 'claude-code'],
  [/(?:^|\/)\.vscode\/mcp\.json$|\/User\/(?:profiles\/[^/]+\/)?mcp\.json$/, 'vscode'],
  [/(?:^|\/)\.cursor\/mcp\.json$/, 'cursor'],
];
const VSCODE_INPUTS = ['promptString', 'pickString', 'command'];

/** The format of a file by its path, or else by its text; `undefined` when neither tells. */
export function detectFormat(path: string | undefined, text: string): FileFormatId | undefined {
  const plain = path?.replaceAll('\\', '/');
  const byPath = plain === undefined ? undefined : BY_PATH.find(([pattern]) => pattern.test(plain))?.[1];
  return byPath ?? byContent(text);
}

function byContent(text: string): FileFormatId | undefined {
  try {
    const { value } = parseJsonText(text, { allowsComments: true });
    return isObject(value) ? byMembers(value) : undefined;
  } catch {
    return undefined;
  }
}

function byMembers(value: JsonObject): FileFormatId | undefined {
  const { servers, mcpServers, inputs } = value;
  if (Object.hasOwn(value, 'crosspoint')) return 'crosspoint';
  if (isObject(servers) && mcpServers === undefined) return hasOwnInputs(inputs) ? 'crosspoint' : 'vscode';
  if (!isObject(mcpServers) || servers !== undefined) return undefined;
  if (isObject(value['projects'])) return 'claude-code';
  return byServers(Object.values(mcpServers).filter((entry) => isObject(entry)));
}

/** Inputs of which no type is one of VS Code. */
function hasOwnInputs(inputs: Json | undefined): boolean {
  if (!Array.isArray(inputs) || inputs.length === 0) return false;
  return inputs.every((input: Json) => isObject(input) && !VSCODE_INPUTS.some((type) => type === input['type']));
}

/** Servers under `mcpServers`. Entries that all three formats read alike are taken for those of Claude Code. */
function byServers(entries: readonly JsonObject[]): FileFormatId {
  const isOfCursor = entries.some(
    ({ url, type, auth, envFile }) =>
      (url !== undefined && type === undefined) || auth !== undefined || envFile !== undefined,
  );
  return isOfCursor || JSON.stringify(entries).includes('${env:') ? 'cursor' : 'claude-code';
}

import type { HttpReach, Reach, StdioReach } from './server-entry.ts';

/** One text of how a server is reached, and the way to it: `['args', 0]`, `['env', 'KEY']`, `['oauth', 'clientId']`. */
export interface ReachText {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** A text in place of another. Several are possible in `args` alone; `undefined` leaves the text out. */
export type MappedText = string | readonly string[] | undefined;

type Map = (text: ReachText) => MappedText;

/** Every text in which references are expanded, in the order in which people read them. */
export function textsOf(reach: Reach): ReachText[] {
  const found: ReachText[] = [];
  withTexts(reach, (text) => {
    found.push(text);
    return text.text;
  });
  return found;
}

/** The same reach with other texts. */
export function withTexts(reach: Reach, map: Map): Reach {
  if (reach.type === 'transport') return reach;
  return reach.type === 'stdio' ? stdioWith(reach, map) : httpWith(reach, map);
}

function stdioWith({ command, args, env, envFile, cwd, ...rest }: StdioReach, map: Map): StdioReach {
  const folder = one(map, ['cwd'], cwd);
  const file = one(map, ['envFile'], envFile);
  return {
    ...rest,
    command: one(map, ['command'], command) ?? '',
    ...(args !== undefined && { args: list(map, ['args'], args) }),
    ...(env !== undefined && { env: members(map, ['env'], env) }),
    ...(file !== undefined && { envFile: file }),
    ...(folder !== undefined && { cwd: folder }),
  };
}

function httpWith({ url, headers, oauth, ...rest }: HttpReach, map: Map): HttpReach {
  return {
    ...rest,
    url: one(map, ['url'], url) ?? '',
    ...(headers !== undefined && { headers: members(map, ['headers'], headers) }),
    ...(oauth !== undefined && { oauth: oauthWith(oauth, map) }),
  };
}

function oauthWith(oauth: NonNullable<HttpReach['oauth']>, map: Map): NonNullable<HttpReach['oauth']> {
  const { clientId, clientSecret, scopes, authServerMetadataUrl, ...rest } = oauth;
  const texts = Object.entries({ clientId, clientSecret, authServerMetadataUrl }).flatMap(([key, text]) => {
    const mapped = one(map, ['oauth', key], text);
    return mapped === undefined ? [] : [[key, mapped]];
  });
  return {
    ...rest,
    ...(Object.fromEntries(texts) as Record<string, string>),
    ...(scopes !== undefined && { scopes: list(map, ['oauth', 'scopes'], scopes) }),
  };
}

function one(map: Map, path: ReachText['path'], text: string | undefined): string | undefined {
  const mapped = text === undefined ? undefined : map({ path, text });
  return typeof mapped === 'string' || mapped === undefined ? mapped : mapped.join(' ');
}

function list(map: Map, path: ReachText['path'], texts: readonly string[]): string[] {
  return texts.flatMap((text, at) => map({ path: [...path, at], text }) ?? []);
}

function members<V extends string | null>(
  map: Map,
  path: ReachText['path'],
  values: Readonly<Record<string, V>>,
): Record<string, V> {
  const mapped = Object.entries(values).flatMap(([key, text]): [string, V][] => {
    const value = text === null ? text : one(map, [...path, key], text);
    return value === undefined ? [] : [[key, value as V]];
  });
  return Object.fromEntries(mapped);
}

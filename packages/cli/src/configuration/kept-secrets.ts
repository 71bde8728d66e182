import { separateSecrets, type ServerEntry, type WrittenSecret } from '@crosspoint/host/config';

/** A secret that is to be kept under a name, for a server. */
export interface SecretToKeep {
  readonly name: string;
  readonly value: string;
}

/** The name of a secret of a server: `server/NAME/env/API_KEY`. */
export function secretName(server: string, path: readonly (string | number)[]): string {
  return ['server', server, ...path].map((step) => encoded(String(step))).join('/');
}

/** The secrets of servers that a text refers to; those that the user keeps under names of their own are not among them. */
export function namedSecrets(text: string): string[] {
  return [...new Set([...text.matchAll(/\$\{secret:(server\/[^\s:}]+)\}/g)].map(([, name = '']) => name))];
}

/** The entry with references to kept secrets in place of those that are written into it, and the secrets. */
export function withKeptSecrets(entry: ServerEntry): { readonly entry: ServerEntry; readonly secrets: SecretToKeep[] } {
  const secrets = new Map<string, string>();
  const kept = separateSecrets(entry, ({ server, path, value }: WrittenSecret) => {
    let name = secretName(server, path);
    for (let more = 2; secrets.has(name) && secrets.get(name) !== value; more += 1)
      name = `${secretName(server, path)}/${more}`;
    secrets.set(name, value);
    return `\${secret:${name}}`;
  });
  return { entry: kept, secrets: [...secrets].map(([name, value]) => ({ name, value })) };
}

/** Characters that names of secrets have; all others as their codes. */
function encoded(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
    .replaceAll('..', '%2e%2e');
}

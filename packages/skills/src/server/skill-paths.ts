import type { Resource } from 'crosspoint';
import { DIRECTORY_MIME_TYPE } from '../extension/skill.ts';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  sh: 'application/x-sh',
  svg: 'image/svg+xml',
  toml: 'application/toml',
  ts: 'text/x-typescript',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

/** The URI of a file or directory of skills; each name is encoded. */
export function uriOf(baseUri: string, path: string): string {
  return baseUri + path.split('/').map(encodeURIComponent).join('/');
}

/** The MIME type by the file extension; `undefined` for an unknown one. */
export function mimeTypeOf(path: string): string | undefined {
  return TYPES[/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
}

/** The direct content of each directory above these files, by the directory's URI and in the order of their URIs. */
export function directoriesOf(
  baseUri: string,
  files: Iterable<{ readonly path: string; readonly size: number }>,
): ReadonlyMap<string, readonly Resource[]> {
  const found = new Map<string, Map<string, Resource>>();
  const put = (parent: string, resource: Resource): void => {
    const children = found.get(parent) ?? new Map<string, Resource>();
    found.set(parent, children.set(resource.uri, resource));
  };
  for (const { path, size } of files) {
    const names = path.split('/');
    for (let length = names.length; length > 1; length -= 1) {
      const uri = uriOf(baseUri, names.slice(0, length).join('/'));
      const name = names[length - 1] ?? '';
      const mimeType = length === names.length ? mimeTypeOf(name) : DIRECTORY_MIME_TYPE;
      put(uriOf(baseUri, names.slice(0, length - 1).join('/')), {
        uri,
        name,
        ...(mimeType !== undefined && { mimeType }),
        ...(length === names.length && { size }),
      });
    }
  }
  return new Map([...found].map(([uri, children]) => [uri, [...children.values()].sort(byUri)]));
}

const byUri = (a: Resource, b: Resource): number => (a.uri < b.uri ? -1 : 1);

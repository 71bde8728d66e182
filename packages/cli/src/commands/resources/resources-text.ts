import type { ReadResourceResult, Resource } from 'crosspoint/client';
import { visibleLine, visibleText, type ListedTemplate } from '@crosspoint/host';
import type { Colours } from '../../output/colours.ts';
import { tableText } from '../../output/table.ts';

const MAX_NAME = 100;

export function resourcesText(resources: readonly Resource[], colours: Colours): string {
  if (resources.length === 0) return 'The server lists no resources.';
  return tableText(resources.map((one) => rowOf(one.uri, one, colours)));
}

export function templatesText(templates: readonly ListedTemplate[], colours: Colours): string {
  if (templates.length === 0) return 'The server lists no templates.';
  return tableText(templates.map((one) => rowOf(one.uriTemplate, one, colours)));
}

function rowOf(
  address: string,
  { name, title, mimeType }: Pick<Resource, 'name' | 'title' | 'mimeType'>,
  { bold, dim }: Colours,
): string[] {
  return [bold(visibleLine(address)), visibleLine(mimeType ?? ''), dim(visibleLine(title ?? name).slice(0, MAX_NAME))];
}

type Content = ReadResourceResult['contents'][number];

/** Contents for people: texts with every unseen character visible, and a line in place of bytes. */
export function contentsText({ contents }: ReadResourceResult, { dim }: Colours): string {
  if (contents.length === 0) return 'The resource has no contents.';
  return contents
    .map((content) => {
      const heading = contents.length === 1 ? '' : `${dim(visibleLine(content.uri))}\n`;
      return `${heading}${'text' in content ? visibleText(content.text) : bytesText(content)}`;
    })
    .join('\n');
}

function bytesText({ mimeType, ...content }: Content): string {
  const bytes = 'blob' in content ? Buffer.byteLength(content.blob, 'base64') : 0;
  const type = mimeType === undefined ? '' : ` of ${visibleLine(mimeType)}`;
  return `${bytes} bytes${type}; --out FILE writes them to a file.`;
}

import type { NodeRequest } from 'crosspoint/server';
import { mediaTypeEssence } from '../../../shared/mediaType.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** The body of a posted message: as it was given or left by a body parser, otherwise as text. Rejects when it is not JSON by its type, or too large. */
export async function nodeBody(request: NodeRequest, parsedBody: unknown): Promise<unknown> {
  const header = request.headers['content-type'];
  const type = mediaTypeEssence(String(header ?? ''));
  if (type === undefined) throw new TypeError('invalid media type');
  if (type !== 'application/json') throw new Error(`Unsupported content-type: ${type}`);
  const { body } = request;
  // Frameworks pass `next` as the third argument of a handler; it is no body.
  if (parsedBody !== undefined && parsedBody !== null && typeof parsedBody !== 'function') return parsedBody;
  return typeof body === 'object' && body !== null ? body : readText(request, charsetOf(String(header)));
}

function charsetOf(header: string): string {
  return /;\s*charset="?([^\s";]+)/i.exec(header)?.[1] ?? 'utf-8';
}

function readText(request: NodeRequest, charset: string): Promise<string> {
  const decoder = new TextDecoder(charset);
  return new Promise((resolve, reject) => {
    let text = '';
    let length = 0;
    const take = (chunk: unknown): void => {
      length += (chunk as Uint8Array).length;
      if (length <= MAX_BYTES) text += decoder.decode(chunk as Uint8Array, { stream: true });
      else fail(new Error('request entity too large'));
    };
    const fail = (error: unknown): void => {
      request.off('data', take);
      request.resume();
      reject(error);
    };
    if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return fail(new Error('request entity too large'));
    request.on('data', take);
    request.on('end', () => resolve(text + decoder.decode()));
    request.on('error', reject);
    request.on('aborted', () => reject(new Error('request aborted')));
  });
}

/** The address that a client asked for; `undefined` where its `Host` is none. */
export function nodeUrl({ headers, socket, url }: NodeRequest): URL | undefined {
  const address = `${socket?.encrypted === true ? 'https' : 'http'}://${String(headers['host'])}`;
  return headers['host'] && url && URL.canParse(url, address) ? new URL(url, address) : undefined;
}

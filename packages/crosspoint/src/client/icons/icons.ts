import type { FetchLike, OutboundPolicy } from '../../auth/outbound/policy.ts';
import { TransportError } from '../../protocol/errors.ts';
import { imageFacts, type IconType } from './icon-image.ts';
import { fromBase64 } from '../../runtime/base64.ts';

/** Whether an icon may be loaded from there: `https:` and `data:` only, whatever the server says. */
export function isSafeIconSource(src: string): boolean {
  let url: URL;
  try {
    url = new URL(src);
  } catch {
    return false;
  }
  return url.protocol === 'data:' || (url.protocol === 'https:' && url.username === '' && url.password === '');
}

export interface FetchIconOptions {
  /** What loads it; connections of the library's own when absent. It gets no credentials, no cookies and no headers of this program. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** 1 MiB when absent. */
  readonly maxBytes?: number;
  /** Longest side; 2048 when absent. */
  readonly maxPixels?: number;
  /** 100 when absent. */
  readonly maxFrames?: number;
  /** What the icon was declared to be; the bytes must agree. */
  readonly mimeType?: string;
  /** Where icons may come from: the server's own origin, and those that are trusted. Nowhere when absent: only `data:` sources are read then. */
  readonly origins?: readonly string[] | 'anywhere';
  /** How many redirects within the origin are followed; 3 when absent. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
  /** Where it may be loaded from when `fetch` is absent: public addresses alone when this is. */
  readonly outbound?: OutboundPolicy;
}

export interface FetchedIcon {
  readonly bytes: Uint8Array;
  /** Read from the bytes. */
  readonly type: IconType;
  readonly width: number;
  readonly height: number;
}

/** Loads an icon as what it is: bytes from a stranger. Rejects with a `TransportError` that says what was wrong with them. */
export async function fetchIcon(src: string, options: FetchIconOptions = {}): Promise<FetchedIcon> {
  if (!isSafeIconSource(src)) throw refused('only https: and data: sources are loaded');
  const { bytes, declared } = src.startsWith('data:') ? readDataUrl(src, options) : await load(src, options);
  const facts = imageFacts(bytes);
  if (facts === undefined) throw refused('its bytes are no PNG, JPEG, GIF or WebP picture');
  for (const claim of [declared, options.mimeType]) {
    if (claim !== undefined && plainType(claim) !== facts.type)
      throw refused(`it is declared as ${plainType(claim)} but is ${facts.type}`);
  }
  const { maxPixels = 2048, maxFrames = 100 } = options;
  if (facts.width < 1 || facts.height < 1 || facts.width > maxPixels || facts.height > maxPixels)
    throw refused(`its size is ${facts.width} by ${facts.height} pixels`);
  if (facts.frames > maxFrames) throw refused(`it has ${facts.frames} frames`);
  return { bytes, type: facts.type, width: facts.width, height: facts.height };
}

interface Loaded {
  readonly bytes: Uint8Array;
  readonly declared: string | undefined;
}

async function load(src: string, options: FetchIconOptions): Promise<Loaded> {
  const { origin } = new URL(src);
  const { origins = [] } = options;
  if (origins !== 'anywhere' && !origins.includes(origin))
    throw refused(`${origin} is not among the origins that icons may come from`);
  const request = options.fetch ?? (await guardedFetch(options));
  const init: RequestInit = {
    credentials: 'omit',
    redirect: 'manual',
    referrerPolicy: 'no-referrer',
    ...(options.signal && { signal: options.signal }),
  };
  let url = src;
  for (let redirects = 0; ; redirects += 1) {
    const response = await request(url, init);
    const location = redirectOf(response);
    if (location === undefined) {
      if (!response.ok) throw refused(`the server answered ${response.status}`);
      return {
        bytes: await readWhole(response, options.maxBytes ?? DEFAULT_MAX_BYTES),
        declared: response.headers.get('content-type') ?? undefined,
      };
    }
    await response.body?.cancel();
    if (redirects >= (options.maxRedirects ?? 3)) throw refused('it is redirected too often');
    const next = new URL(location, url);
    if (next.protocol !== 'https:' || next.origin !== origin)
      throw refused(`it is redirected to another origin, ${next.origin}`);
    url = next.href;
  }
}

const DEFAULT_MAX_BYTES = 1_048_576;

/** An icon's address comes from a stranger: it leads to no private network, whatever its name resolves to. */
async function guardedFetch({ outbound, maxBytes = DEFAULT_MAX_BYTES }: FetchIconOptions): Promise<FetchLike> {
  const { createOutboundFetch } = await import('../../auth/outbound/outbound-fetch.ts');
  const load = createOutboundFetch({ maxBytes, ...outbound });
  return (url, init) =>
    load(url, init).catch((error: unknown) => {
      throw error instanceof Error && error.name === 'OutboundError'
        ? refused(error.message.replace(/\.$/, ''))
        : error;
    });
}

/** Browsers hide where a redirect leads: then it cannot be checked, and is not followed. */
function redirectOf(response: Response): string | undefined {
  if (response.type === 'opaqueredirect') throw refused('it is redirected, and this platform does not say where');
  if (response.status < 300 || response.status > 399) return undefined;
  return response.headers.get('location') ?? undefined;
}

async function readWhole(response: Response, maxBytes: number): Promise<Uint8Array> {
  // Loaded when there is something to read: most programs show no icons.
  const { readBounded } = await import('../../auth/outbound/read-bounded.ts');
  const bytes = await readBounded(response, maxBytes);
  if (bytes === undefined) throw refused(`it is larger than ${maxBytes} bytes`);
  return bytes;
}

function readDataUrl(src: string, { maxBytes = DEFAULT_MAX_BYTES }: FetchIconOptions): Loaded {
  const comma = src.indexOf(',');
  const head = src.slice('data:'.length, comma);
  if (comma === -1 || !/;\s*base64$/i.test(head)) throw refused('its data: source is not base64');
  // Four characters are three bytes: the length is known before anything is decoded.
  if (((src.length - comma) * 3) / 4 > maxBytes + 4) throw refused(`it is larger than ${maxBytes} bytes`);
  try {
    const bytes = fromBase64(decodeURIComponent(src.slice(comma + 1)));
    return { bytes, declared: head.replace(/;\s*base64$/i, '') || undefined };
  } catch (error) {
    throw refused('its data: source cannot be decoded', error);
  }
}

function plainType(type: string): string {
  const plain = (type.split(';')[0] ?? '').trim().toLowerCase();
  return plain === 'image/jpg' ? 'image/jpeg' : plain;
}

function refused(why: string, cause?: unknown): TransportError {
  return new TransportError(
    'invalid-result',
    `The icon was refused: ${why}.`,
    {},
    cause === undefined ? undefined : { cause },
  );
}

import type { FetchLike, OutboundPolicy } from '../../auth/outbound/policy.ts';
import { TransportError } from '../../protocol/errors.ts';
import { imageFacts, type IconType } from './icon-image.ts';
import { fromBase64 } from '../../runtime/base64.ts';

/** Whether an icon may be loaded from this source: only `https:` without credentials, and `data:`. */
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
  /** Loads the icon; a guarded fetch of the library when absent. It is given no credentials, cookies or headers. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Size limit in bytes; 1 MiB when absent. */
  readonly maxBytes?: number;
  /** Longest side in pixels; 2048 when absent. */
  readonly maxPixels?: number;
  /** Most frames of an animation; 100 when absent. */
  readonly maxFrames?: number;
  /** Declared type of the icon; the bytes must match it. */
  readonly mimeType?: string;
  /** Allowed origins: usually the server's own and others you trust. When absent, only `data:` sources are read. */
  readonly origins?: readonly string[] | 'anywhere';
  /** Most redirects within the origin; 3 when absent. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
  /** Rules for addresses when `fetch` is absent; only public addresses when this is absent too. */
  readonly outbound?: OutboundPolicy;
}

export interface FetchedIcon {
  readonly bytes: Uint8Array;
  /** Format found in the bytes. */
  readonly type: IconType;
  readonly width: number;
  readonly height: number;
}

/** Loads an icon from an untrusted source. Rejects with a `TransportError` that says why it was refused. */
export async function fetchIcon(src: string, options: FetchIconOptions = {}): Promise<FetchedIcon> {
  if (!isSafeIconSource(src)) throw refused('only https: and data: sources are loaded');
  const { bytes, declared } = src.startsWith('data:') ? readDataUrl(src, options) : await load(src, options);
  const facts = imageFacts(bytes);
  if (facts === undefined) throw refused('its bytes are not a PNG, JPEG, GIF or WebP image');
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
    throw refused(`its origin ${origin} is not in the allowed origins`);
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

/** The address comes from an untrusted server, so it must not resolve to a private network. */
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

/** Browsers hide the target of a redirect; it cannot be checked, so it is refused. */
function redirectOf(response: Response): string | undefined {
  if (response.type === 'opaqueredirect') throw refused('it is redirected, and this platform hides the target');
  if (response.status < 300 || response.status > 399) return undefined;
  return response.headers.get('location') ?? undefined;
}

async function readWhole(response: Response, maxBytes: number): Promise<Uint8Array> {
  // Imported on first use: most programs show no icons.
  const { readBounded } = await import('../../auth/outbound/read-bounded.ts');
  const bytes = await readBounded(response, maxBytes);
  if (bytes === undefined) throw refused(`it is larger than ${maxBytes} bytes`);
  return bytes;
}

function readDataUrl(src: string, { maxBytes = DEFAULT_MAX_BYTES }: FetchIconOptions): Loaded {
  const comma = src.indexOf(',');
  const head = src.slice('data:'.length, comma);
  if (comma === -1 || !/;\s*base64$/i.test(head)) throw refused('its data: source is not base64');
  // Four characters encode three bytes, so the size is known before decoding.
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

import { authorizationServerMetadataUrls } from '../../well-known.ts';
import { isLoopbackName } from '../../../runtime/loopback.ts';

const MAX_BYTES = 100_000;
const TIMEOUT_MS = 5000;

/** Finds the address of an issuer's keys in its metadata. The program chose the issuer, so its addresses are trusted. */
export async function findKeys(issuer: string, fetcher: typeof fetch): Promise<URL> {
  const tried: string[] = [];
  for (const { href: url } of authorizationServerMetadataUrls(issuer).map((location) => location.url)) {
    const metadata = await read(url, fetcher);
    if (metadata === undefined) {
      tried.push(url);
      continue;
    }
    if (metadata.issuer !== issuer)
      throw new Error(`${url} is the metadata of ${String(metadata.issuer)}, not of ${issuer}: correct the issuer.`);
    if (typeof metadata.jwks_uri !== 'string') throw new Error(`${url} names no keys (jwks_uri): give them as jwks.`);
    const found = new URL(metadata.jwks_uri);
    if (found.protocol !== 'https:' && !isLoopbackName(found.hostname))
      throw new Error(`${url} names keys that are not served over https (${found.origin}): give them as jwks.`);
    return found;
  }
  throw new Error(`${issuer} has no metadata at ${tried.join(' or ')}: give its keys as jwks.`);
}

async function read(url: string, fetcher: typeof fetch): Promise<{ issuer?: unknown; jwks_uri?: unknown } | undefined> {
  const response = await fetcher(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status >= 500) throw new Error(`${url} answered ${response.status}.`);
  const text = response.ok ? await response.text() : '';
  if (!response.ok || text.length > MAX_BYTES) return undefined;
  try {
    return JSON.parse(text) as { issuer?: unknown; jwks_uri?: unknown };
  } catch {
    return undefined;
  }
}

/** Redirects within the origin of a request, so that its contents reach no other server. */
import type { FetchLike } from '../../shared/transport.ts';

const MOST_HOPS = 5;

/** Same origin, or the same host over TLS where both use the default ports. */
export function isWithinOrigin(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:';
  return isUpgrade && from.hostname === to.hostname && from.port + to.port === '';
}

/** The target of a redirect response. */
function locationOf(response: Response, requested: string | URL): URL | undefined {
  const isRedirect = response.status >= 300 && response.status < 400 && response.status !== 304;
  const location = isRedirect ? response.headers.get('location') : null;
  return location && URL.canParse(location, String(requested)) ? new URL(location, requested) : undefined;
}

/** The address to repeat the request at. A request with a body is repeated only where its method is kept. */
function nextHop(response: Response, from: URL, method: string): URL | undefined {
  const to = locationOf(response, from);
  if (to === undefined || !isWithinOrigin(from, to)) return undefined;
  if (method.toUpperCase() !== 'GET' && response.status !== 307 && response.status !== 308) return undefined;
  const [had, has] = [from, to].map(({ username, password }) => `${username}:${password}`);
  return has === ':' || has === had ? to : undefined;
}

/** The response at the end of the redirects; `undefined` when this response is no redirect that may be followed. */
export function followWithinOrigin(
  baseFetch: FetchLike,
  url: string | URL,
  init: RequestInit | undefined,
  response: Response,
): Promise<Response> | undefined {
  const method = init?.method ?? 'GET';
  const first = nextHop(response, new URL(url), method);
  return first === undefined ? undefined : follow(first, response);

  async function follow(start: URL, redirect: Response): Promise<Response> {
    let answer = redirect;
    let to: URL | undefined = start;
    for (let hops = 0; to !== undefined && hops < MOST_HOPS; hops++) {
      await answer.body?.cancel();
      answer = await baseFetch(to, { ...init, redirect: 'manual' });
      to = nextHop(answer, to, method);
    }
    return answer;
  }
}

const leftAlone = new WeakSet<FetchLike>();

/** A fetch whose redirects `fetchWithinOrigin` does not handle. */
export function fetchLeavingRedirects(baseFetch?: FetchLike): FetchLike {
  const own: FetchLike = (url, init) => (baseFetch ?? fetch)(url, init);
  leftAlone.add(own);
  return own;
}

/** A fetch that follows redirects within the origin only; any other redirect is returned as the response. */
export function fetchWithinOrigin(baseFetch: FetchLike = fetch): FetchLike {
  if (leftAlone.has(baseFetch)) return baseFetch;
  return async (url, init) => {
    const isDecided = init?.redirect === 'error' || init?.redirect === 'manual';
    if (isDecided) return baseFetch(url, init);
    const response = await baseFetch(url, { ...init, redirect: 'manual' });
    return followWithinOrigin(baseFetch, url, init, response) ?? response;
  };
}

/** Describes a redirect that was not followed, without credentials and queries; `undefined` for any other response. */
export function unfollowedRedirect(response: Response, requestUrl: string | URL): string | undefined {
  if (response.type === 'opaqueredirect')
    return 'Redirect not followed: this runtime does not expose the redirect target';
  const from = new URL(response.url || requestUrl);
  const to = locationOf(response, from);
  if (to === undefined) return undefined;
  const isDowngrade = from.protocol === 'https:' && to.protocol === 'http:';
  const shown = `${isDowngrade ? 'https:' : to.protocol}//${to.host}${to.pathname}`;
  return isDowngrade
    ? `Redirect to plain http not followed; try ${shown} instead`
    : `Redirect to ${shown} not followed`;
}

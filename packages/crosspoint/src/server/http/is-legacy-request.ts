import { kindOf, type JSONRPCRequest } from '../../jsonrpc/message.ts';
import { claimedVersion, findRevision } from '../../revisions/index.ts';
import { DEFAULT_MAX_REQUEST_BODY_SIZE } from './read-post.ts';

export interface IsLegacyRequestOptions {
  /** Longest body in bytes that is read; 4 MiB when absent. */
  maxRequestBodySize?: number;
}

/** Whether a request comes from a client that opens with a handshake. The body can still be read afterwards. */
export async function isLegacyRequest(
  request: Request,
  parsedBody?: unknown,
  options: IsLegacyRequestOptions = {},
): Promise<boolean> {
  const named = findRevision(request.headers.get('mcp-protocol-version') ?? '')?.family;
  if (named === 'per-request') return false;
  if (request.method !== 'POST') return true;
  const body = parsedBody ?? (await readCopy(request, options.maxRequestBodySize ?? DEFAULT_MAX_REQUEST_BODY_SIZE));
  const kind = kindOf(body);
  return !((kind === 'request' || kind === 'notification') && claimedVersion(body as JSONRPCRequest) !== undefined);
}

async function readCopy(request: Request, limit: number): Promise<unknown> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) return undefined;
  try {
    const text = await request.clone().text();
    return text.length > limit ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

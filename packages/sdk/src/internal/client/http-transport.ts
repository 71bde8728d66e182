import { StreamableHTTPClientTransport as NewTransport, type FetchLike } from 'crosspoint/client';
import type { AuthOptions, OAuthClientProvider as NewOAuthClientProvider } from 'crosspoint/auth';
import { auth, extractWWWAuthenticateParams, UnauthorizedError, type OAuthClientProvider } from '../../client/auth.ts';
import {
  fetchLeavingRedirects,
  fetchWithinOrigin,
  normalizeHeaders,
  unfollowedRedirect,
} from '../../shared/transport.ts';
import { JSONRPCMessageSchema, type JSONRPCMessage, type MessageExtraInfo } from '../../types.ts';
import { asError, contain } from '../shared/contain.ts';

/** Options of both HTTP transports. The last three are additions to those of v1. */
export interface HttpTransportOptions {
  /** Source of tokens. A refused request starts a login; without a provider it fails with the status. */
  authProvider?: OAuthClientProvider | NewOAuthClientProvider | undefined;
  /** Settings of requests. Its headers are sent with every request, and override the token. */
  requestInit?: RequestInit | undefined;
  fetch?: FetchLike | undefined;
  /**
   * `same-origin` (default): a redirect is followed only within the origin, or from http to https on the same host, and only where the
   * method is kept. `follow`: redirects are left to `fetch`.
   */
  redirectPolicy?: 'same-origin' | 'follow' | undefined;
  /** Largest message to read, in bytes; 64 MiB when absent. */
  maxMessageBytes?: number | undefined;
  /** Rules for the addresses that a server may name for the login. */
  outbound?: AuthOptions['policy'];
  /** Corrections for a server with wrong authorization metadata. */
  authOverrides?: AuthOptions['overrides'];
}

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * The common part of the HTTP transports of v1. Members that start with an underscore are private to the compiler alone, as in v1: private
 * fields would break programs that wrap a transport in a `Proxy`.
 */
export class HttpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  onwaiting?: ((isWaiting: boolean) => void) | undefined;
  protected readonly _url: URL;
  protected readonly _options: HttpTransportOptions;
  protected readonly _maxBytes: number;
  protected _abortController: AbortController | undefined;
  protected _protocolVersion: string | undefined;
  protected _resourceMetadataUrl: URL | undefined;
  protected _scope: string | undefined;
  private _login: Promise<void> | undefined;

  constructor(url: URL | string, options: HttpTransportOptions) {
    this._url = new URL(url);
    this._options = options;
    this._maxBytes = options.maxMessageBytes ?? MAX_MESSAGE_BYTES;
  }

  setProtocolVersion(version: string): void {
    this._protocolVersion = version;
  }

  /** Completes a login with the code of the redirect, and its `iss` where it is known. Connect a new transport afterwards. */
  async finishAuth(authorizationCode: string, iss?: string): Promise<void> {
    await this._authorize({ authorizationCode, iss }, 'Failed to authorize');
  }

  /** Headers of every request: token, version, and those of the program. */
  protected async _commonHeaders(): Promise<Headers> {
    const tokens = await this._options.authProvider?.tokens();
    return new Headers({
      ...(tokens && { Authorization: `Bearer ${tokens.access_token}` }),
      ...this._sessionHeaders(),
      ...normalizeHeaders(this._options.requestInit?.headers),
    });
  }

  protected _sessionHeaders(): Record<string, string> {
    return this._protocolVersion === undefined ? {} : { 'mcp-protocol-version': this._protocolVersion };
  }

  /** Sends a request under the redirect policy. */
  protected _request(url: URL, init: RequestInit, own: FetchLike | undefined = this._options.fetch): Promise<Response> {
    const base = own ?? NewTransport.defaultFetch;
    const send = this._options.redirectPolicy === 'follow' ? fetchLeavingRedirects(base) : fetchWithinOrigin(base);
    return send(url, init);
  }

  /** Sends a message as the body of a POST. */
  protected async _postMessage(url: URL, message: unknown, accept?: string): Promise<Response> {
    const headers = await this._commonHeaders();
    headers.set('content-type', 'application/json');
    if (accept !== undefined) headers.set('accept', accept);
    const signal = this._abortController?.signal ?? null;
    const { requestInit } = this._options;
    return this._request(url, { ...requestInit, method: 'POST', headers, body: JSON.stringify(message), signal });
  }

  /** Describes a redirect that was not followed; `undefined` for any other response. */
  protected _unfollowedRedirect(response: Response, url: URL): string | undefined {
    const text = unfollowedRedirect(response, url);
    if (text === undefined || this._options.redirectPolicy === 'follow') return text;
    return `${text} (redirectPolicy: 'same-origin')`;
  }

  /** Keeps what a refusal says about the login that is needed. */
  protected _noteRefusal(response: Response): void {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    this._resourceMetadataUrl = resourceMetadataUrl;
    this._scope = scope;
  }

  /** Obtains tokens after a refusal; refusals that come meanwhile share the login. Rejects when the user has to log in first. */
  protected _logIn(): Promise<void> {
    this._login ??= this._authorize({}).finally(() => (this._login = undefined));
    return this._login;
  }

  private async _authorize(answer: Pick<AuthOptions, 'authorizationCode' | 'iss'>, failure?: string): Promise<void> {
    const { authProvider, fetch: fetchFn, requestInit, outbound: policy, authOverrides: overrides } = this._options;
    if (authProvider === undefined) throw new UnauthorizedError('No auth provider');
    const result = await auth(authProvider, {
      ...answer,
      serverUrl: this._url,
      resourceMetadataUrl: this._resourceMetadataUrl,
      scope: this._scope,
      fetchFn,
      requestInit,
      policy,
      overrides,
      onwaiting: (isWaiting) => this.onwaiting?.(isWaiting),
    });
    if (result !== 'AUTHORIZED') throw new UnauthorizedError(failure);
  }

  /** Delivers parsed JSON: one message, or an array of them. Throws when it is something else. */
  protected _deliver(value: unknown, onanswer?: (message: JSONRPCMessage & { id?: unknown }) => void): void {
    const messages = Array.isArray(value) ? (value as unknown[]) : [value];
    for (const message of messages.map((each) => JSONRPCMessageSchema.parse(each))) {
      if (!('method' in message)) onanswer?.(message);
      contain(() => this.onmessage?.(message), this._problem);
    }
  }

  protected readonly _problem = (error: unknown): void => contain(() => this.onerror?.(asError(error)));
}

/** The response with a body of which at most `limit` bytes can be read; reading more rejects. */
export function limited(response: Response, limit: number): Pick<Response, 'json' | 'text'> {
  // A `fetch` of the program may give objects that have no streams.
  if (!(response.body instanceof ReadableStream)) return response;
  let size = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > limit) controller.error(new Error(`The answer is larger than the limit of ${limit} bytes.`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counting));
}

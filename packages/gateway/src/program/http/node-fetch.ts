import type { HttpTarget } from 'crosspoint/client';
import type { Dispatcher, Pool } from 'undici';
import { newLightController } from '../../values/light-controller.ts';
import { ResponseBody } from './response-body.ts';

type Fetch = NonNullable<HttpTarget['fetch']>;
type Init = NonNullable<Parameters<Fetch>[1]>;
type Controller = Dispatcher.DispatchController;
type Headings = Readonly<Record<string, string | string[] | undefined>>;

/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Requests have limits of their own, and a stream may be silent for long. */
const UNLIMITED = { headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0 };

/**
 * `fetch` as a client of the protocol uses it, over connections that are kept, one request at a time on each, and without time limits: redirects are not followed, bodies are text. A successful
 * response to a request of the protocol has the members that such a client reads, and no others; every other response is a `Response`, and other requests, such as those of a login, go to the
 * runtime's `fetch`. See docs/decisions/026-undici.md for its cost.
 */
export function nodeFetch(): Fetch {
  let wayTo: ((href: string) => Way) | undefined;
  const fetch = (url: string | URL, init: Init = {}): Promise<Response> => {
    if (!isOfProtocol(init)) return globalThis.fetch(url, init);
    if (wayTo === undefined) return loadWays().then((loaded) => ((wayTo ??= loaded), fetch(url, init)));
    const find = wayTo;
    return new Promise((resolve, reject) => {
      const { method = 'GET', headers, body, signal } = init;
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const { pool, path } = find(String(url));
      const sent = {
        path,
        method,
        headers: headers as Record<string, string>,
        body: (body as string | undefined) ?? null,
      };
      pool.dispatch(sent, new Exchange(resolve, reject, signal));
    });
  };
  return Object.assign(fetch, { takesPlainHeaders: true, newController: newLightController });
}

/** Whether a request is one of the protocol. Those of a login have bodies and readers of other kinds. */
function isOfProtocol({ headers, body }: Init): boolean {
  if (headers === undefined || headers instanceof Headers || Array.isArray(headers)) return false;
  const { accept = '' } = headers;
  return accept.includes('text/event-stream') && (body === undefined || typeof body === 'string');
}

interface Way {
  readonly href: string;
  readonly pool: Pool;
  readonly path: string;
}

/** The connections to a server, and the path there. A server has one address, so the last one is remembered. The package is loaded on first use: that takes 100 ms, and most programs never do. */
async function loadWays(): Promise<(href: string) => Way> {
  const { Pool: Connections } = await import('undici');
  const pools = new Map<string, Pool>();
  let last: Way | undefined;
  return (href) => {
    if (last?.href === href) return last;
    const { origin, pathname, search } = new URL(href);
    const pool = pools.get(origin) ?? new Connections(origin, UNLIMITED);
    pools.set(origin, pool);
    last = { href, pool, path: `${pathname}${search}` };
    return last;
  };
}

/** One request and its response, whose body it is. */
class Exchange extends ResponseBody implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: Error) => void;
  readonly #signal: Init['signal'];
  #controller: Controller | undefined;
  #gaveUp: Error | undefined;

  constructor(resolve: (response: Response) => void, reject: (error: Error) => void, signal: Init['signal']) {
    super();
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#left, { once: true });
  }

  readonly #left = (): void => {
    const reason = this.#signal?.reason as Error;
    this.#giveUp(reason);
    this.#failed(reason);
  };

  /** A request that waits for its connection is given up when it gets one, before it is sent. */
  #giveUp(reason: Error): void {
    this.#gaveUp = reason;
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#gaveUp !== undefined) controller.abort(this.#gaveUp);
  }

  onResponseStart(_controller: Controller, status: number, headers: Headings): void {
    // Others may come before it, which say that it will.
    if (status >= 200) this.#resolve(responseOf(status, headers, this));
  }

  onResponseData(_controller: Controller, chunk: Uint8Array): void {
    this.took(chunk);
  }

  onResponseEnd(): void {
    this.#over();
    this.ended(undefined);
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    this.#failed(error);
  }

  #failed(error: Error): void {
    this.#over();
    // Without effect after the response has begun: its body is what breaks then.
    this.#reject(error);
    this.ended(error);
  }

  #over(): void {
    this.#signal?.removeEventListener('abort', this.#left);
  }

  protected pause(): void {
    this.#controller?.pause();
  }

  protected resume(): void {
    this.#controller?.resume();
  }

  protected leave(): void {
    this.#over();
    this.#giveUp(new Error('The rest of the response is not read.'));
  }
}

function responseOf(status: number, headers: Headings, body: ResponseBody): Response {
  if (status > 299 || EMPTY.has(status)) return wholeResponse(status, headers, body);
  const get = (name: string): string | null => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  };
  return { status, ok: true, type: 'default', headers: { get }, body, text: () => body.text() } as object as Response;
}

/** A response that others may want to read, such as the one that asks for a login. */
function wholeResponse(status: number, given: Headings, body: ResponseBody): Response {
  const headers = new Headers();
  for (const [name, value = ''] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  if (!EMPTY.has(status)) return new Response(body.asStream(), { status, headers });
  // The others that have no body cannot send one either.
  if (status === 205) void body.cancel();
  return new Response(null, { status, headers });
}

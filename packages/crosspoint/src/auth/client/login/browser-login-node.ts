import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { HttpHeaders, HttpReply, HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import { serveNode, type HttpService } from '../../../transports/http/server/adapters/http-service.ts';
import { AuthFlowError } from '../flow-error.ts';
import { StoredProvider, type StoredProviderOptions, type UserAgent } from '../tokens/stored-provider.ts';
import { openFault } from '../../outbound/policy.ts';
import { CALLBACK_HEADERS, CALLBACK_PAGE } from './callback-page.ts';
import { readPastedCallback } from './read-callback.ts';

export interface LoginOptions {
  /** How to show the login page: `browser` opens it on this machine, `print` writes its address. Detected when absent. */
  readonly open?: 'browser' | 'print' | ((page: URL) => void | Promise<void>) | undefined;
  /** Shows a message to the user; on stderr when absent. */
  readonly say?: ((message: string) => void) | undefined;
  /** Reads an address that the user pasted, for browsers on another machine; from the terminal when absent, never when `false`. */
  readonly paste?: ((signal: AbortSignal) => Promise<string>) | false | undefined;
  /** Port that the client was registered with; a free one when absent. */
  readonly port?: number | undefined;
  /** Path of the redirect; `/callback` when absent. */
  readonly path?: string | undefined;
  /** Milliseconds to wait for the user; five minutes when absent. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A complete login for command-line programs: in the browser where there is one, otherwise by copy and paste. */
export function createLogin(options: Omit<StoredProviderOptions, 'userAgent'> & LoginOptions): StoredProvider {
  return new StoredProvider({ ...options, userAgent: new LoopbackAgent(options) });
}

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
const CLOSE_MS = 500;
const PLAIN: HttpHeaders = { 'Content-Type': 'text/plain', Connection: 'close' };

/** Receives the redirect on a loopback address. */
export class LoopbackAgent implements UserAgent {
  readonly #options: LoginOptions;
  #server: Server | undefined;
  readonly #service: HttpService = { serve: (request, reply) => this.#answer(request, reply) };
  #onanswer: ((params: URLSearchParams) => boolean) | undefined;

  constructor(options: LoginOptions = {}) {
    this.#options = options;
  }

  get #path(): string {
    return this.#options.path ?? '/callback';
  }

  async begin(before: readonly string[]): Promise<string> {
    await this.end();
    const known = before.map((url) => Number(new URL(url).port)).find((port) => port > 0);
    const server = createServer((request, response) => void serveNode(this.#service, request, response));
    this.#server = server;
    const port = await listen(server, this.#options.port ?? known, this.#options.port === undefined);
    return `http://127.0.0.1:${port}${this.#path}`;
  }

  async visit(page: URL): Promise<URLSearchParams> {
    const fault = openFault(page);
    if (fault !== undefined) throw fault;
    const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = this.#options;
    const over = new AbortController();
    // Not `AbortSignal.timeout`: a signal that only a composed signal refers to can be garbage-collected and then never fires.
    const timer = setTimeout(() => over.abort(), timeoutMs);
    const stop = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
    try {
      const answer = this.#wait(page.searchParams.get('state') ?? '', stop);
      // It may be cancelled while the page is still being opened, before anybody waits for the answer.
      answer.catch(() => {});
      const isShown = await this.#show(page);
      return await Promise.race([answer, ...(isShown ? [] : [this.#pasted(stop, answer)])]);
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }

  async end(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#onanswer = undefined;
    if (server === undefined) return;
    server.closeIdleConnections();
    // A client that never finishes its request must not keep the login from ending.
    const late = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    clearTimeout(late);
  }

  #wait(state: string, stop: AbortSignal): Promise<URLSearchParams> {
    return new Promise((resolve, reject) => {
      stop.addEventListener('abort', () =>
        reject(
          new AuthFlowError('cancelled', 'The login was not completed: it timed out, or it was cancelled. Try again.'),
        ),
      );
      this.#onanswer = (params) => {
        // Any page in the browser can send requests here; only the answer to our request has our state.
        if (params.get('state') !== state) return false;
        resolve(params);
        return true;
      };
    });
  }

  /** Shows the page; returns whether a browser on this machine opened it. */
  async #show(page: URL): Promise<boolean> {
    const { open = canOpenBrowser() ? 'browser' : 'print', say = (text) => void process.stderr.write(`${text}\n`) } =
      this.#options;
    if (typeof open === 'function') {
      await open(page);
      return true;
    }
    if (open === 'browser' && (await openBrowser(page))) {
      say(`To log in, use the page that was opened in your browser, or open this address:\n\n  ${page.href}\n`);
      return true;
    }
    say(
      `To log in, open this address in a browser:\n\n  ${page.href}\n\nIf that browser is on another machine, its last page will not load. Copy the address of that page, and paste it here.\n`,
    );
    return false;
  }

  /** Asks until the pasted text is an answer. Without a way to paste, waits for `otherwise`. */
  async #pasted(stop: AbortSignal, otherwise: Promise<URLSearchParams>): Promise<URLSearchParams> {
    const { paste = process.stdin.isTTY ? readTerminal : false } = this.#options;
    const { say = (text: string) => void process.stderr.write(`${text}\n`) } = this.#options;
    if (paste === false) return otherwise;
    for (;;) {
      const text = await paste(stop);
      if (stop.aborted) return otherwise;
      try {
        return readPastedCallback(text);
      } catch (error) {
        say((error as Error).message);
      }
    }
  }

  /** Serves the redirect. Any page in the browser and any program on this machine can send requests here. */
  #answer(request: HttpRequest, reply: HttpReply): void {
    const { port } = (this.#server?.address() ?? { port: 0 }) as AddressInfo;
    const host = request.header('host');
    const isOurHost = host === `127.0.0.1:${port}` || host === `localhost:${port}`;
    if (!isOurHost || request.method !== 'GET' || request.path !== this.#path)
      return reply.send(404, PLAIN, 'Not found\n');
    if (this.#onanswer?.(new URLSearchParams(request.query)) === true)
      return reply.send(200, CALLBACK_HEADERS, CALLBACK_PAGE);
    reply.send(400, PLAIN, 'No login is waiting for this answer.\n');
  }
}

async function listen(server: Server, wanted: number | undefined, mayChange: boolean): Promise<number> {
  const on = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve((server.address() as AddressInfo).port);
      });
    });
  if (wanted === undefined) return on(0);
  try {
    return await on(wanted);
  } catch (error) {
    if (mayChange) return on(0);
    throw new AuthFlowError(
      'configuration',
      `The port ${wanted} that this client is registered with is in use. Free it, or register another one.`,
      { port: wanted },
      { cause: error },
    );
  }
}

/** Whether this machine has a browser that a person can see. */
export function canOpenBrowser(env: NodeJS.ProcessEnv = process.env, platform: string = process.platform): boolean {
  if (env['CI'] || env['SSH_CONNECTION'] || env['SSH_TTY']) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  if (existsSync('/.dockerenv') || env['container']) return false;
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME']);
}

/** Command that opens a page on each platform. The address is a separate argument, and no shell is involved. */
function openerFor(platform: string): readonly [command: string, ...args: string[]] {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

/** Characters with a meaning to shells, and to openers that are shell scripts. Percent-encoded they mean the same to a server. */
const RISKY = /[`'"$|;<>()\\^{}!*]/g;

/** Opens a page in the user's browser. False when there is no command to do so. Throws for an address that is no web page. */
export async function openBrowser(
  page: URL,
  options: { readonly platform?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<boolean> {
  const fault = openFault(page);
  if (fault !== undefined) throw fault;
  const { platform = process.platform, env = process.env } = options;
  const [command, ...args] = openerFor(platform);
  const address = page.href.replaceAll(RISKY, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return new Promise((resolve) => {
    const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true, shell: false, env });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** Reads one line from the terminal. */
function readTerminal(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const end = (text: string): void => {
      lines.close();
      resolve(text);
    };
    signal.addEventListener('abort', () => end(''), { once: true });
    lines.question('Address: ', end);
  });
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHandles, type HandleOwner, type Handles } from 'crosspoint/server';

/** A third party's service: it issues tokens of its own, and sees only those. */
export class CalendarService {
  readonly seenTokens: string[] = [];

  signIn(user: string): string {
    return `calendar-token-of-${user}`;
  }

  slots(token: string): string[] {
    this.seenTokens.push(token);
    return ['Monday 10:00', 'Tuesday 15:00'];
  }
}

interface PageRequest {
  readonly id: string;
}

/**
 * The server's own page, where a user connects a calendar. The token from the service stays here: neither the client nor the model ever sees
 * it. The address holds a handle that is bound to one user, so that no other user can be tricked into connecting a calendar.
 */
export class Calendar {
  readonly service = new CalendarService();
  readonly #handles: Handles<PageRequest>;
  readonly #tokens = new Map<string, string>();
  readonly #completions = new Map<string, () => void>();
  #server: Server | undefined;
  #origin = '';

  constructor(keys?: readonly string[]) {
    this.#handles = createHandles({ purpose: 'connecting a calendar', ttlMs: 600_000, ...(keys && { keys }) });
  }

  async start(): Promise<void> {
    // A real page knows its visitor from its own login; here the visitor sends a name.
    const server = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '/', this.#origin);
      void this.visit(searchParams.get('request') ?? '', userOf(request.headers['x-signed-in-as'])).then(
        (connected) => {
          response
            .writeHead(connected ? 200 : 403, { 'content-type': 'text/plain' })
            .end(connected ? 'Connected. You may close this page.' : 'This page was not made for you.');
        },
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
    this.#origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.unref();
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => (this.#server ? this.#server.close(resolve) : resolve(undefined)));
  }

  async openPage(owner: HandleOwner): Promise<{ id: string; url: string }> {
    const id = crypto.randomUUID();
    return { id, url: `${this.#origin}/connect?request=${await this.#handles.mint(owner, { id })}` };
  }

  oncomplete(id: string, tell: () => void): void {
    this.#completions.set(id, tell);
  }

  /** Handles the visit of a signed-in user. Only the user the page was made for may continue. */
  async visit(handle: string, user: HandleOwner): Promise<boolean> {
    let request: PageRequest;
    try {
      request = await this.#handles.open(user, handle);
    } catch {
      return false;
    }
    this.#tokens.set(nameOf(user), this.service.signIn(nameOf(user)));
    this.#completions.get(request.id)?.();
    return true;
  }

  isConnected(owner: HandleOwner): boolean {
    return this.#tokens.has(nameOf(owner));
  }

  async whenConnected(owner: HandleOwner, patienceMs = 2000): Promise<boolean> {
    for (const until = Date.now() + patienceMs; !this.isConnected(owner) && Date.now() < until;)
      await new Promise((resolve) => setTimeout(resolve, 10));
    return this.isConnected(owner);
  }

  freeSlots(owner: HandleOwner): string[] {
    return this.service.slots(this.#tokens.get(nameOf(owner)) ?? '');
  }
}

/** The verified user on a server with authorization; a server without it has only one. */
function nameOf({ authInfo }: HandleOwner): string {
  return authInfo === undefined ? 'you' : `${authInfo.clientId}/${String(authInfo.extra?.['sub'])}`;
}

function userOf(header: string | string[] | undefined): HandleOwner {
  const [clientId, sub] = typeof header === 'string' ? header.split('/') : [];
  return { authInfo: clientId === undefined ? undefined : { token: '', clientId, scopes: [], extra: { sub } } };
}

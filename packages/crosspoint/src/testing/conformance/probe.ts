import { isJsonObject, kindOf, type ErrorObject, type JsonObject, type RequestId } from '../../jsonrpc/message.ts';
import type { Facts } from '../../protocol/outcome.ts';
import type { Revision } from '../../revisions/revision.ts';
import { clientWordsOf } from '../../revisions/client-words.ts';
import { InMemoryTransport } from '../../transports/memory/in-memory-transport.ts';
import type { Connectable } from '../linked.ts';
import { show } from '../match-value.ts';
import { Broken } from './rule.ts';

export type Answer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: ErrorObject };

const FACTS: Facts = { client: { name: 'conformance-probe', version: '1.0.0' }, capabilities: {} };
const idKey = (id: unknown): string => `${typeof id} ${String(id)}`;

/** A client that does nothing by itself: it sends what a check tells it to and records everything that comes back. */
export class Probe {
  readonly revision: Revision;
  /** All messages received, as they came. */
  readonly received: unknown[] = [];
  /** Messages that break the rules of JSON-RPC, or answer a request that was not sent. */
  readonly faults: string[] = [];
  /** The server's answer to the opening of the connection. */
  opened: JsonObject = {};
  readonly #transport: InMemoryTransport;
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  readonly #timeoutMs: number;
  #nextId = 1;

  private constructor(revision: Revision, transport: InMemoryTransport, timeoutMs: number) {
    this.revision = revision;
    this.#transport = transport;
    this.#timeoutMs = timeoutMs;
  }

  static async connect(server: Connectable, revision: Revision, timeoutMs: number): Promise<Probe> {
    const [near, far] = InMemoryTransport.createLinkedPair({ text: true });
    const probe = new Probe(revision, near, timeoutMs);
    near.onmessage = (message) => probe.#take(message);
    await server.connect(far);
    await near.start();
    return probe;
  }

  get capabilities(): JsonObject {
    const { capabilities } = this.opened;
    return isJsonObject(capabilities) ? capabilities : {};
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Sends a request with the params as the revision writes them. */
  request(method: string, params: JsonObject = {}): Promise<Answer> {
    return this.requestAs(method, clientWordsOf(this.revision).writeRequest({ method, params, facts: FACTS }));
  }

  /** Sends a request with params as they are, under the given id. */
  requestAs(method: string, params: JsonObject | undefined, id: RequestId = this.#nextId++): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(idKey(id));
        reject(new Broken(`${method} was not answered within ${this.#timeoutMs} ms`));
      }, this.#timeoutMs);
      this.#waiting.set(idKey(id), (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.#transport.send({ jsonrpc: '2.0', id, method, ...(params && { params }) });
    });
  }

  notify(method: string, params?: JsonObject): void {
    this.#transport.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  #take(message: unknown): void {
    this.received.push(message);
    const kind = kindOf(message);
    if (kind === 'invalid' || !isJsonObject(message)) {
      this.faults.push(`no valid message: ${show(message)}`);
      return;
    }
    if (kind === 'request') this.#refuse(message);
    if (kind !== 'result' && kind !== 'error') return;
    const settle = this.#waiting.get(idKey(message['id']));
    this.#waiting.delete(idKey(message['id']));
    if (settle === undefined)
      this.faults.push(`an answer to what was not asked, or was answered already: ${show(message)}`);
    else if (kind === 'result') settle({ kind, result: message['result'] as JsonObject });
    else settle({ kind, error: message['error'] as ErrorObject });
  }

  /** Answers pings, and refuses every other request: a probe offers no features. */
  #refuse({ id, method }: JsonObject): void {
    const answer =
      method === 'ping' ? { result: {} } : { error: { code: -32_601, message: 'A probe answers no questions.' } };
    this.#transport.send({ jsonrpc: '2.0', id: id as RequestId, ...answer });
  }
}

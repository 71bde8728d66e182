import { asError, contain } from '../internal/shared/contain.ts';
import type { Transport } from '../shared/transport.ts';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '../types.ts';

const SUBPROTOCOL = 'mcp';

/** Connects to a server over WebSocket. No revision of the protocol describes this transport; it exists because v1 has it. */
export class WebSocketClientTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #url: URL;
  #socket: WebSocket | undefined;

  constructor(url: URL) {
    this.#url = url;
  }

  start(): Promise<void> {
    if (this.#socket)
      return Promise.reject(
        new Error(
          'WebSocketClientTransport already started! If using Client class, note that connect() calls start() automatically.',
        ),
      );
    if (typeof WebSocket === 'undefined')
      return Promise.reject(
        new Error(
          'This runtime has no WebSocket: use Node 22 or later, or start Node 20 with --experimental-websocket.',
        ),
      );
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#url, SUBPROTOCOL);
      this.#socket = socket;
      socket.onopen = () => resolve();
      socket.onclose = () => contain(() => this.onclose?.(), this.#problem);
      socket.onmessage = ({ data }) => this.#received(data);
      socket.onerror = (event) => {
        const error = errorOf(event, this.#url);
        reject(error);
        this.#problem(error);
      };
    });
  }

  async close(): Promise<void> {
    this.#socket?.close();
  }

  async send(message: Parameters<Transport['send']>[0]): Promise<void> {
    if (!this.#socket) throw new Error('Not connected');
    this.#socket.send(JSON.stringify(message));
  }

  #received(data: unknown): void {
    let message: JSONRPCMessage;
    try {
      message = JSONRPCMessageSchema.parse(JSON.parse(String(data)));
    } catch (error) {
      this.#problem(asError(error));
      return;
    }
    contain(() => this.onmessage?.(message), this.#problem);
  }

  readonly #problem = (error: Error): void => contain(() => this.onerror?.(error));
}

/** Browsers give an event without a reason; Node adds the error. */
function errorOf(event: Event, url: URL): Error {
  const cause = 'error' in event ? event.error : undefined;
  return cause instanceof Error ? cause : new Error(`The WebSocket connection to ${url.host} failed.`);
}

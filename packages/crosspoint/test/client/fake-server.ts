import type { JSONRPCMessage, JsonObject, RequestId } from '../../src/jsonrpc/message.ts';
import { META_SERVER_INFO } from '../../src/protocol/meta.ts';
import { newestOf } from '../../src/revisions/index.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import type { BadFrame, MessageExtraInfo, Transport } from '../../src/transports/transport.ts';

export const MODERN: Revision = newestOf('per-request')!;
export const LEGACY: Revision = newestOf('handshake')!;

export interface Wire {
  jsonrpc?: '2.0';
  id?: RequestId;
  method: string;
  params?: JsonObject & { _meta?: JsonObject };
  result?: JsonObject;
  error?: { code: number; message: string; data?: unknown };
}

/** The server's end, for one run. */
export interface Line {
  /** Anything at all, as a stranger may send it. */
  send(message: unknown): void;
  reply(request: Wire, result: JsonObject): void;
  fail(request: Wire, error: { code: number; message: string; data?: unknown }): void;
  notify(method: string, params?: JsonObject): void;
  garbage(text: string): void;
  exit(reason?: string): void;
}

export type Behaviour = (message: Wire, line: Line) => void;

export interface FakeTransportOptions {
  restartable?: boolean;
  identity?: string;
}

/** A transport with a scripted server behind it. Each start is a new run of the script. */
export class FakeTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  onbadframe: ((frame: BadFrame) => void) | undefined;
  readonly restartable: boolean;
  readonly identity: string;
  lastFailure: Error | undefined;
  protocolVersion: string | undefined;
  /** What the client sent, run by run. */
  readonly runs: Wire[][] = [];
  readonly #script: (run: number) => Behaviour;
  #line: (Line & { open: boolean }) | undefined;

  constructor(script: Behaviour | ((run: number) => Behaviour), options: FakeTransportOptions = {}) {
    this.#script = script.length === 1 ? (script as (run: number) => Behaviour) : () => script as Behaviour;
    this.restartable = options.restartable ?? false;
    this.identity = options.identity ?? 'fake';
  }

  get sent(): Wire[] {
    return this.runs.at(-1) ?? [];
  }

  get methods(): string[] {
    return this.sent.map(({ method }) => method);
  }

  sentTo(method: string): Wire[] {
    return this.sent.filter((message) => message.method === method);
  }

  get isOpen(): boolean {
    return this.#line?.open ?? false;
  }

  get line(): Line {
    if (this.#line === undefined) throw new Error('not started');
    return this.#line;
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
  }

  async start(): Promise<void> {
    if (this.isOpen) throw new Error('started twice');
    this.runs.push([]);
    this.#line = this.#openLine();
  }

  send(message: unknown): void {
    if (!this.isOpen) throw new Error('The pipe is closed.');
    // As a pipe does: what cannot be written as JSON throws, and the other side gets a copy.
    const copy = JSON.parse(JSON.stringify(message)) as Wire;
    this.sent.push(copy);
    const line = this.#line!;
    const behave = this.#behave!;
    queueMicrotask(() => {
      if (line.open) behave(copy, line);
    });
  }

  async close(): Promise<void> {
    this.#end();
  }

  #behave: Behaviour | undefined;

  #openLine(): Line & { open: boolean } {
    this.#behave = this.#script(this.runs.length - 1);
    const receive = (message: unknown): void => {
      queueMicrotask(() => {
        if (line.open) this.onmessage?.(message as JSONRPCMessage);
      });
    };
    const line: Line & { open: boolean } = {
      open: true,
      send: receive,
      reply: ({ id }, result) => receive({ jsonrpc: '2.0', id, result }),
      fail: ({ id }, error) => receive({ jsonrpc: '2.0', id, error }),
      notify: (method, params) =>
        receive(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }),
      garbage: (text) => {
        queueMicrotask(() => this.onbadframe?.({ kind: 'unparsable', reason: 'not JSON', start: text }));
      },
      exit: (reason) => {
        queueMicrotask(() => {
          if (reason !== undefined) this.lastFailure = new Error(reason);
          if (this.#line === line) this.#end();
        });
      },
    };
    return line;
  }

  #end(): void {
    if (this.#line === undefined || !this.#line.open) return;
    this.#line.open = false;
    this.onclose?.();
  }
}

export class Refusal {
  readonly error: { code: number; message: string; data?: unknown };

  constructor(code: number, message = 'no', data?: unknown) {
    this.error = data === undefined ? { code, message } : { code, message, data };
  }
}

/** Nothing: not answered here. */
export type Answers = Record<string, (params: JsonObject, line: Line, message: Wire) => unknown>;

export interface Shape {
  capabilities?: JsonObject;
  versions?: string[];
  instructions?: string;
}

const ALL: JsonObject = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
  completions: {},
};

function answering(answers: Answers): Behaviour {
  return (message, line) => {
    if (message.id === undefined || message.method === undefined) return;
    const answer = answers[message.method];
    const given =
      answer === undefined
        ? new Refusal(-32601, `Method not found: ${message.method}`)
        : answer(message.params ?? {}, line, message);
    if (given instanceof Refusal) line.fail(message, given.error);
    else if (given !== undefined) line.reply(message, given as JsonObject);
  };
}

/** A server of the per-request family. */
export function modern(answers: Answers = {}, shape: Shape = {}): Behaviour {
  return answering({
    'server/discover': () => ({
      resultType: 'complete',
      supportedVersions: shape.versions ?? [MODERN.id],
      capabilities: shape.capabilities ?? ALL,
      ...(shape.instructions !== undefined && { instructions: shape.instructions }),
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [META_SERVER_INFO]: { name: 'modern', version: '1' } },
    }),
    ...answers,
  });
}

/** A server of the handshake family; unknown methods, the probe among them, are refused with -32601. */
export function legacy(answers: Answers = {}, shape: Shape = {}): Behaviour {
  const supported = shape.versions ?? [LEGACY.id];
  return answering({
    initialize: (params) => ({
      protocolVersion: supported.includes(String(params['protocolVersion'])) ? params['protocolVersion'] : supported[0],
      capabilities: shape.capabilities ?? ALL,
      serverInfo: { name: 'legacy', version: '1' },
      ...(shape.instructions !== undefined && { instructions: shape.instructions }),
    }),
    ping: () => ({}),
    ...answers,
  });
}

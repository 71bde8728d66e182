import type { Stream } from 'node:stream';
import { TransportError } from 'crosspoint/client';
import {
  StdioClientTransport as NewTransport,
  type StdioServerParameters as NewServerParameters,
} from 'crosspoint/client/stdio';
import { asError, contain } from '../internal/shared/contain.ts';
import { STDIO_DEFAULT_MAX_BUFFER_SIZE } from '../shared/stdio.ts';
import type { Transport } from '../shared/transport.ts';
import { JSONRPCMessageSchema, type JSONRPCMessage, type MessageExtraInfo } from '../types.ts';

export { DEFAULT_INHERITED_ENV_VARS, getDefaultEnvironment } from 'crosspoint/client/stdio';

export interface StdioServerParameters extends Omit<NewServerParameters, 'maxMessageBytes'> {
  /** Largest message in bytes; a longer one closes the transport. 10 MiB when absent. */
  maxBufferSize?: number | undefined;
}

/**
 * Runs a server as a child process, in the way of v1: lines that are no message go to `onerror`, a message that is too large closes the
 * transport, and a command that cannot be started rejects with the error of the operating system.
 */
export class StdioClientTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage, extra?: MessageExtraInfo) => void) | undefined;
  readonly carrier = 'stdio' as const;
  readonly restartable = true as const;
  private readonly _server: NewTransport;
  private _isStarted = false;

  constructor(server: StdioServerParameters) {
    const { maxBufferSize = STDIO_DEFAULT_MAX_BUFFER_SIZE, ...parameters } = server;
    this._server = new NewTransport({ ...parameters, maxMessageBytes: maxBufferSize });
    this._server.onmessage = (message) => this._receive(message);
    this._server.onerror = this._problem;
    this._server.onbadframe = (frame) => {
      if (frame.kind === 'unparsable') return this._problem(new SyntaxError(frame.reason));
      this._problem(new Error(`ReadBuffer exceeded maximum size of ${frame.limit} bytes`));
      void this.close();
    };
    this._server.onclose = () => {
      this._isStarted = false;
      contain(() => this.onclose?.(), this._problem);
    };
  }

  get identity(): string {
    return this._server.identity;
  }

  get lastFailure(): Error | undefined {
    return this._server.lastFailure;
  }

  /** The server's stderr, with `stderr: 'pipe'`; available before the start. */
  get stderr(): Stream | null {
    return this._server.stderr;
  }

  get pid(): number | null {
    return this._server.pid;
  }

  async start(): Promise<void> {
    if (this._isStarted)
      throw new Error(
        'StdioClientTransport already started! If using Client class, note that connect() calls start() automatically.',
      );
    this._isStarted = true;
    try {
      await this._server.start();
    } catch (error) {
      this._isStarted = false;
      const reason = error instanceof TransportError ? (error.cause ?? error) : error;
      this._problem(reason);
      throw reason;
    }
  }

  async close(): Promise<void> {
    await this._server.close();
  }

  async send(message: Parameters<Transport['send']>[0]): Promise<void> {
    if (this._server.pid === null) throw new Error('Not connected');
    await this._server.send(message);
  }

  private _receive(value: unknown): void {
    try {
      for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
        const message = JSONRPCMessageSchema.parse(each);
        contain(() => this.onmessage?.(message), this._problem);
      }
    } catch (error) {
      this._problem(error);
    }
  }

  private readonly _problem = (error: unknown): void => contain(() => this.onerror?.(asError(error)));
}

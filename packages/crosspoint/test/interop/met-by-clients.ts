import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, createVerdictMemory, type ClientOptions } from '../../src/client/index.ts';
import { StdioClientTransport, type StdioServerParameters } from '../../src/client/stdio.ts';
import { program } from './subjects.ts';

export interface WireMessage {
  jsonrpc: '2.0';
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
}

/** A client for the fake servers of `fixtures/interop/peers`, with one memory of what it learnt and a folder for the servers' diaries. */
export class Meeting {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'crosspoint-peers-'));
  readonly problems: Error[] = [];
  readonly #clients: Client[] = [];
  readonly #verdicts = createVerdictMemory();
  #run = 0;

  /** Connects to a fresh process; a failed connection is the caller's to look at. */
  async connect(
    peer: readonly string[],
    options: ClientOptions = {},
    parameters: Partial<StdioServerParameters> = {},
  ): Promise<Client> {
    this.#run += 1;
    const [script = '', ...args] = peer;
    const client = new Client(
      { name: 'meeting', version: '1.0.0' },
      {
        verdicts: this.#verdicts,
        onproblem: (problem) => this.problems.push(problem),
        ...options,
        timeouts: { probeMs: 10_000, ...options.timeouts },
      },
    );
    this.#clients.push(client);
    const env = {
      WIRE_LOG: this.#log(this.#run),
      STARTED: join(this.folder, 'started'),
      LOCK: join(this.folder, 'lock'),
      PID_LOG: join(this.folder, 'pids'),
      ...parameters.env,
    };
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [program(`peers/${script}.mjs`), ...args],
        stderr: 'ignore',
        ...parameters,
        env,
      }),
    );
    return client;
  }

  /** What the server got in the given run, the first being 1. Throws for anything that is no message. */
  wire(run: number = this.#run): WireMessage[] {
    const path = this.#log(run);
    if (!existsSync(path)) return [];
    const text = readFileSync(path, 'utf8');
    if (text !== '' && !text.endsWith('\n')) throw new Error('The last line is not ended.');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const message = JSON.parse(line) as WireMessage;
        if (message.jsonrpc !== '2.0') throw new Error(`No message: ${line}`);
        return message;
      });
  }

  methods(run?: number): (string | undefined)[] {
    return this.wire(run).map(({ method }) => method);
  }

  diary(): string[] {
    return readFileSync(join(this.folder, 'pids'), 'utf8').trimEnd().split('\n');
  }

  /** Every process that was started, known after the end. */
  pids: number[] = [];

  async end(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    this.pids = readFileSync(join(this.folder, 'started'), 'utf8').trimEnd().split('\n').map(Number);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #log(run: number): string {
    return join(this.folder, `wire-${run}`);
  }
}

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { until } from '../fixtures/stdio/compiled.ts';

/** One line of a server's stdout, as it came. */
export interface Frame {
  jsonrpc: '2.0';
  id?: string | number | null;
  method?: string;
  params?: Record<string, any>;
  result?: Record<string, any>;
  error?: { code: number; message: string; data?: any };
}

export const PER_REQUEST = '2026-07-28';

/** What every request of the per-request family carries. */
export function envelope(version: string = PER_REQUEST, capabilities: object = {}): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

/** A server process and its pipes, with nothing in between. */
export class RawClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly frames: Frame[] = [];
  /** Everything on stdout, to be held against the frames. */
  lines: string[] = [];
  stderr = '';
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, args, { stdio: 'pipe' });
    let pending = '';
    this.child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (pending + chunk).split('\n');
      pending = parts.pop() ?? '';
      for (const line of parts) {
        this.lines.push(line);
        this.frames.push(JSON.parse(line) as Frame);
      }
    });
    this.child.stderr.setEncoding('utf8').on('data', (chunk: string) => (this.stderr += chunk));
    this.child.stdin.on('error', () => {});
    this.exited = new Promise((resolve) => this.child.once('close', (code, signal) => resolve({ code, signal })));
  }

  send(...messages: object[]): void {
    this.child.stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  }

  /** The answer to the request with this id. */
  async answer(id: string | number | null): Promise<Frame> {
    return this.frame((frame) => frame.id === id && frame.method === undefined);
  }

  async frame(matches: (frame: Frame) => boolean): Promise<Frame> {
    await until(() => this.frames.some(matches));
    return this.frames.find(matches) as Frame;
  }

  async initialize(version = '2025-11-25'): Promise<Frame> {
    this.send({
      id: 'init',
      method: 'initialize',
      params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '1.0.0' } },
    });
    const answer = await this.answer('init');
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  async end(): Promise<void> {
    this.child.stdin.end();
    await this.exited;
  }
}

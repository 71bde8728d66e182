import { afterAll, beforeAll } from 'vitest';
import type { Client, ElicitResult, CreateMessageResult, Root } from '../../src/client/index.ts';
import type { ElicitParams } from '../../src/protocol/elicitation/elicitation.ts';
import type { CreateMessageParams } from '../../src/protocol/sampling.ts';
import type { LoggingMessage } from '../../src/protocol/logging.ts';
import type { ScenarioName } from '../fixtures/suite/suite-server.mjs';
import { textOf, type Connected, type Subject, type SubjectOptions } from './subject.ts';

/** How the client answers questions: cases replace what they need. */
export interface Answers {
  elicit: (params: ElicitParams) => ElicitResult | Promise<ElicitResult>;
  sample: (params: CreateMessageParams) => CreateMessageResult | Promise<CreateMessageResult>;
  roots: () => Root[];
}

/** The connection that most cases of a subject share, and the means to open others. */
export class Bench {
  readonly subject: Subject;
  readonly asked: string[] = [];
  readonly logs: LoggingMessage[] = [];
  readonly answers: Answers = {
    elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    sample: () => ({
      role: 'assistant',
      content: { type: 'text', text: 'Hello' },
      model: 'small',
      stopReason: 'endTurn',
    }),
    roots: () => [{ uri: 'file:///home/ada', name: 'home' }],
  };
  #connected: Connected | undefined;
  #bare: Promise<Connected> | undefined;
  #undeclared: Promise<Connected> | undefined;
  readonly #opened: Connected[] = [];

  constructor(subject: Subject) {
    this.subject = subject;
    beforeAll(async () => {
      this.#connected = await this.connect('everything');
    });
    afterAll(async () => {
      await Promise.all(this.#opened.map((connected) => connected.close()));
    });
  }

  get client(): Client {
    return this.shared.client;
  }

  get shared(): Connected {
    if (this.#connected === undefined) throw new Error('The shared connection is not open.');
    return this.#connected;
  }

  /** A connection to a server without features, for cases that leave it as it was. */
  bare(): Promise<Connected> {
    return (this.#bare ??= this.connect('bare'));
  }

  /** A connection of a client that declared nothing, for cases that leave it as it was. */
  undeclared(): Promise<Connected> {
    return (this.#undeclared ??= this.connect('everything', { capabilities: {} }));
  }

  /** A connection of its own, with every capability declared unless the options say otherwise. Closed after the last case. */
  async connect(scenario: ScenarioName, options: SubjectOptions = {}): Promise<Connected> {
    const capabilities = { roots: { listChanged: true }, sampling: { tools: {} }, elicitation: { form: {}, url: {} } };
    const connected = await this.subject.connect(scenario, {
      capabilities,
      onlog: (message) => this.logs.push(message),
      ...options,
      prepare: (client) => {
        if (options.capabilities === undefined) this.#prepare(client);
        options.prepare?.(client);
      },
    });
    this.#opened.push(connected);
    return connected;
  }

  /** The text of a tool's answer. */
  async call(name: string, args?: Record<string, unknown>, client: Client = this.client): Promise<string> {
    return textOf(await client.callTool(args === undefined ? { name } : { name, arguments: args }));
  }

  /** Waits until the server has noted something that starts so. */
  async noted(until: string, client: Client = this.client): Promise<string[]> {
    return JSON.parse(await this.call('journal', { until }, client)) as string[];
  }

  #prepare(client: Client): void {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      this.asked.push('elicitation/create');
      return this.answers.elicit(params);
    });
    client.setRequestHandler('sampling/createMessage', ({ params }) => {
      this.asked.push('sampling/createMessage');
      return this.answers.sample(params);
    });
    client.setRequestHandler('roots/list', () => {
      this.asked.push('roots/list');
      return { roots: this.answers.roots() };
    });
  }
}

export { until } from '../until.ts';

/** Local endpoints that speak the wire formats of Anthropic's Messages API and OpenAI's Chat Completions API. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/index.ts';
import { conversationFault } from './conversation-fault.ts';

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // Tests look into what was sent, which has no one type.
  readonly body: JsonObject & { readonly messages: readonly JsonObject[] };
}

export type Reply = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

/** An endpoint that gives one reply for each request; the last one again and again. */
export class FakeEndpoint implements AsyncDisposable {
  readonly requests: SeenRequest[] = [];
  readonly #replies: Reply[];
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(replies: Reply[]) {
    this.#replies = replies;
  }

  static async open(...replies: Reply[]): Promise<FakeEndpoint> {
    const endpoint = new FakeEndpoint(replies);
    await new Promise<void>((resolve) => endpoint.#server.listen(0, '127.0.0.1', resolve));
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Closed first: a connection that is made meanwhile would never end.
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const seen = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text) as SeenRequest['body'] };
    this.requests.push(seen);
    const fault = conversationFault(seen.body.messages);
    if (fault !== undefined)
      return refusing(400, { error: { type: 'invalid_request_error', message: fault } })(response, seen);
    const reply = this.#replies.length > 1 ? this.#replies.shift() : this.#replies[0];
    await reply?.(response, seen);
  }
}

/** An error of either API, with its status, headers and body. */
export function refusing(status: number, body: JsonObject | string, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Cuts the connection after some events. */
export function cutAfter(events: readonly string[]): Reply {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(event);
    await new Promise((resolve) => setTimeout(resolve, 50));
    response.destroy();
  };
}

/** Sends events and ends as a whole answer does. */
export function streaming(events: readonly string[]): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // In pieces that end in the middle of lines, as networks give them.
    const text = events.join('');
    for (let at = 0; at < text.length; at += 37) response.write(text.slice(at, at + 37));
    response.end();
  };
}

/** Sends events, and then nothing more. */
export function stalling(events: readonly string[]): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(event);
  };
}

export function anthropicEvent(data: JsonObject & { readonly type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

export interface AnthropicAnswer {
  /** Blocks as the API has them; the words and arguments of each are sent in two pieces. */
  readonly blocks: readonly JsonObject[];
  readonly stop?: string;
  readonly stopDetails?: JsonObject;
  readonly usage?: JsonObject;
  readonly output?: number;
  readonly model?: string;
}

const NO_CACHE = { cache_creation: null, cache_creation_input_tokens: null, cache_read_input_tokens: null };

/** The events of one answer of the Messages API. */
export function anthropicEvents(answer: AnthropicAnswer): string[] {
  const { blocks, stop = 'end_turn', output = 12, model = 'claude-test' } = answer;
  const usage = { ...NO_CACHE, input_tokens: 20, output_tokens: 1, ...answer.usage };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return [
    anthropicEvent({ type: 'message_start', message }),
    anthropicEvent({ type: 'ping' }),
    ...blocks.flatMap((block, index) => anthropicBlock(block, index)),
    anthropicEvent({
      type: 'message_delta',
      delta: { container: null, stop_reason: stop, stop_sequence: null, stop_details: answer.stopDetails ?? null },
      usage: { output_tokens: output },
    }),
    anthropicEvent({ type: 'message_stop' }),
  ];
}

function anthropicBlock(block: JsonObject, index: number): string[] {
  const start = (content_block: JsonObject) => anthropicEvent({ type: 'content_block_start', index, content_block });
  const delta = (given: JsonObject) => anthropicEvent({ type: 'content_block_delta', index, delta: given });
  const stop = anthropicEvent({ type: 'content_block_stop', index });
  if (block['type'] === 'text')
    return [
      start({ type: 'text', text: '' }),
      ...halves(block['text']).map((text) => delta({ type: 'text_delta', text })),
      stop,
    ];
  if (block['type'] === 'tool_use') {
    const written = typeof block['input'] === 'string' ? block['input'] : JSON.stringify(block['input']);
    const parts = ['', ...halves(written)].map((partial_json) => delta({ type: 'input_json_delta', partial_json }));
    return [start({ ...block, input: {} }), ...parts, stop];
  }
  if (block['type'] === 'thinking')
    return [
      start({ type: 'thinking', thinking: '', signature: '' }),
      ...halves(block['thinking']).map((thinking) => delta({ type: 'thinking_delta', thinking })),
      delta({ type: 'signature_delta', signature: block['signature'] ?? '' }),
      stop,
    ];
  return [start(block), stop];
}

export function anthropicAnswer(answer: AnthropicAnswer): Reply {
  return streaming(anthropicEvents(answer));
}

/** One chunk of a chat completion. */
export function chatEvent(delta: JsonObject, more: JsonObject = {}, rest: JsonObject = {}): string {
  const choices = [{ index: 0, delta, finish_reason: null, ...more }];
  const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-test', choices, ...rest };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

export interface ChatAnswer {
  readonly text?: string;
  /** Deltas as the API has them, between the words and the end. */
  readonly deltas?: readonly JsonObject[];
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish?: string;
  readonly usage?: JsonObject;
}

/** The events of one answer of the Chat Completions API. */
export function chatEvents(answer: ChatAnswer): string[] {
  const { text = '', deltas = [], calls = [], finish = calls.length > 0 ? 'tool_calls' : 'stop' } = answer;
  const usage = answer.usage ?? { prompt_tokens: 20, completion_tokens: 12, total_tokens: 32 };
  return [
    chatEvent({ role: 'assistant', content: '' }),
    ...halves(text).map((content) => chatEvent({ content })),
    ...deltas.map((delta) => chatEvent(delta)),
    ...calls.flatMap(({ id, name, arguments: written }, index) => [
      chatEvent({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...halves(written).map((part) => chatEvent({ tool_calls: [{ index, function: { arguments: part } }] })),
    ]),
    chatEvent({}, { finish_reason: finish }),
    chatEvent({}, {}, { choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

export function chatAnswer(answer: ChatAnswer): Reply {
  return streaming(chatEvents(answer));
}

function halves(given: unknown): string[] {
  const text = typeof given === 'string' ? given : '';
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
}

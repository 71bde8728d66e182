import type { CompleteResult, GetPromptResult, ReadResourceResult, RequestOptions } from 'crosspoint/client';
import type { AuditWriter } from './audit/event.ts';
import type { Conversations } from './calls/conversations.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { checkPromptArguments } from './context/prompt-commands.ts';
import type { HostServer } from './servers/host-server.ts';
import type { Tracing } from './tracing/tracing.ts';

/** Options of reading a resource or a prompt. */
export interface ContextOptions {
  readonly signal?: AbortSignal | undefined;
  /** The conversation that the content comes into. */
  readonly conversation?: string | undefined;
}

/** The parts of the host that reading needs. */
export interface ReaderPort {
  readonly catalogue: Catalogue;
  readonly conversations: Conversations;
  readonly audit: AuditWriter;
  readonly span: Tracing['span'];
  server(name: string): HostServer;
}

/** Reads resources and prompts for the user who chose them. */
export class ContextReader {
  readonly #port: ReaderPort;

  constructor(port: ReaderPort) {
    this.#port = port;
  }

  async readResource(server: string, uri: string, options: ContextOptions): Promise<ReadResourceResult> {
    const { audit, conversations } = this.#port;
    const result = await this.#port.span('read', { name: uri, server }, async () => {
      const client = await this.#port.server(server).ready(options.signal);
      audit.write({ type: 'read', server, details: { uri } });
      return client.readResource({ uri }, requestOptions(options));
    });
    conversations.add(options.conversation ?? '', server);
    return result;
  }

  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    options: ContextOptions,
  ): Promise<GetPromptResult> {
    const { audit, conversations } = this.#port;
    const { server, prompt } = this.#prompt(name);
    checkPromptArguments(prompt, args);
    const result = await this.#port.span('prompt', { name, server }, async () => {
      const client = await this.#port.server(server).ready(options.signal);
      audit.write({ type: 'prompt', server, details: { name: prompt.name, arguments: args } });
      return client.getPrompt({ name: prompt.name, arguments: { ...args } }, requestOptions(options));
    });
    conversations.add(options.conversation ?? '', server);
    return result;
  }

  async completePrompt(
    name: string,
    argument: { readonly name: string; readonly value: string },
    chosen: Readonly<Record<string, string>>,
  ): Promise<CompleteResult['completion']> {
    const { server, prompt } = this.#prompt(name);
    const client = await this.#port.server(server).ready();
    if (client.getServerCapabilities()?.completions === undefined) return { values: [] };
    const ref = { type: 'ref/prompt' as const, name: prompt.name };
    return (await client.complete({ ref, argument, context: { arguments: { ...chosen } } })).completion;
  }

  #prompt(name: string): NonNullable<ReturnType<Catalogue['prompt']>> {
    const found = this.#port.catalogue.prompt(name);
    if (found === undefined) throw new TypeError(`There is no prompt "${name}".`);
    return found;
  }
}

function requestOptions({ signal }: ContextOptions): RequestOptions {
  return signal === undefined ? {} : { signal };
}

import type { CallToolResult } from 'crosspoint/client';
import type { JsonObject } from '../values/json.ts';

/** A call of a tool and its result, as a model may be told of it. */
export interface ContextEntry {
  readonly server: string;
  readonly tool: string;
  /** The arguments as JSON, cut where they are long. */
  readonly arguments: string;
  /** The words of the result, cut where they are long. */
  readonly result: string;
}

/** A call that is over. */
export interface Exchange {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly result: CallToolResult;
  readonly conversation: string;
}

interface KeptEntry extends ContextEntry {
  readonly conversation: string;
}

const MOST_ENTRIES = 200;
const LONGEST_TEXT = 8000;
const MOST_CHARACTERS = 64_000;

/**
 * The calls that servers were sent and answered, for requests for a model that may bring context along. The last 200 calls are kept, 8,000
 * characters of each text; one request gets 64,000 characters at most.
 */
export class ServerContext {
  readonly #entries: KeptEntry[] = [];

  add({ server, tool, arguments: args, result, conversation }: Exchange): void {
    const texts = (result.content ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : []));
    this.#entries.push({
      server,
      tool,
      arguments: cut(JSON.stringify(args)),
      result: cut(texts.join('\n')),
      conversation,
    });
    if (this.#entries.length > MOST_ENTRIES) this.#entries.shift();
  }

  /** The calls of one conversation, the oldest first: those of `server` alone, or of every server. The oldest are left out where there are too many. */
  of(conversation: string, server?: string): readonly ContextEntry[] {
    const found: ContextEntry[] = [];
    let room = MOST_CHARACTERS;
    for (const { conversation: of, ...entry } of this.#entries.toReversed()) {
      if (of !== conversation || (server !== undefined && entry.server !== server)) continue;
      room -= entry.arguments.length + entry.result.length;
      if (room < 0) break;
      found.unshift(entry);
    }
    return found;
  }

  /** The server was removed. */
  forget(server: string): void {
    const kept = this.#entries.filter((entry) => entry.server !== server);
    this.#entries.splice(0, this.#entries.length, ...kept);
  }
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}

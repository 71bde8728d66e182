import { describeItem, visibleLine, visibleText, type InboxItem, type JsonObject } from '@crosspoint/host';
import type { RunCall, RunEvent } from '@crosspoint/host/agent';
import type { Output } from '../../output/output.ts';

const LONGEST = 300;

/** Prints the steps of a run: words of the model and a line for each call, or JSON. */
export class RunPrinter {
  readonly #output: Output;
  /** Whether the words of the model ended in the middle of a line. */
  #isOpen = false;

  constructor(output: Output) {
    this.#output = output;
  }

  show(event: RunEvent): void {
    if (this.#output.isJson) {
      if (event.type !== 'message') this.#output.item(jsonOf(event), () => '');
      return;
    }
    switch (event.type) {
      case 'text':
        this.#isOpen = !event.text.endsWith('\n');
        return this.#output.words(visibleText(event.text));
      case 'message':
        return this.endLine();
      case 'call':
        return this.#note(`→ ${callText(event.call)}`);
      case 'result':
        return this.#note(
          `← ${visibleLine(event.call.tool)}${event.isError ? ' failed' : ''}: ${contentText(event.content)}`,
        );
      case 'progress':
        return this.#output.progress(event.progress);
      case 'again':
        return this.#note(
          `The model is asked again in ${Math.ceil(event.waitMs / 1000)} s: ${visibleLine(event.error.message)}`,
        );
      case 'goes-on':
        return this.#note(`${visibleLine(event.call.tool)} takes long; the model goes on without its result.`);
      case 'shortened':
        return this.#note(`The conversation was too long: ${event.results} older results were shortened.`);
      case 'approval-wanted':
      case 'question':
        return this.endLine();
      case 'begin':
      case 'reasoning':
      case 'usage':
      case 'answered':
        return undefined;
      case 'end':
        return this.endLine();
    }
  }

  /** Ends the line of the model's words, where it is open. */
  endLine(): void {
    if (this.#isOpen) this.#output.words('\n');
    this.#isOpen = false;
  }

  #note(text: string): void {
    this.endLine();
    this.#output.note(this.#output.noteColours.dim(text));
  }
}

function callText({ tool, arguments: args }: RunCall): string {
  return `${visibleLine(tool)} ${visibleLine(JSON.stringify(args)).slice(0, LONGEST)}`;
}

function contentText(content: readonly object[]): string {
  const texts = content.map((block) => ('text' in block ? String(block.text) : JSON.stringify(block)));
  return visibleLine(texts.join(' ')).slice(0, LONGEST);
}

/** A step as JSON: errors by their message, questions by their id and title. */
export function jsonOf(event: Exclude<RunEvent, { type: 'message' }>): object {
  switch (event.type) {
    case 'again':
      return { type: event.type, message: event.error.message, waitMs: event.waitMs };
    case 'approval-wanted':
    case 'question': {
      const { item, call } = event;
      return {
        type: event.type,
        ...(call !== undefined && { call: call.id }),
        ...itemOf(item),
        title: describeItem(item).title,
      };
    }
    case 'answered':
      return { type: event.type, ...itemOf(event.item), outcome: event.outcome };
    case 'end': {
      const { id, reason, detail, error, text, usage, rounds } = event.result;
      return {
        type: 'end',
        id,
        reason,
        detail,
        ...(error !== undefined && { error: error.message }),
        text,
        usage,
        rounds,
      };
    }
    case 'begin':
    case 'text':
    case 'reasoning':
    case 'usage':
    case 'call':
    case 'progress':
    case 'goes-on':
    case 'result':
    case 'shortened':
      return event;
  }
}

function itemOf({ id, kind, from }: InboxItem): JsonObject {
  return { id, kind, ...(from.server !== undefined && { server: from.server }) };
}

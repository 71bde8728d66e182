import type { JsonObject } from '../values/json.ts';

/**
 * The messages to a view about the call that it shows: partial arguments, the complete ones once, then the result or that it was cancelled. Nothing is
 * sent until the view is ready; what is of no more use by then is left out.
 */
export class ToolFeed {
  readonly #notify: (method: string, params: JsonObject) => void;
  #isOpen = false;
  #partial: JsonObject | undefined;
  #input: { readonly arguments: JsonObject } | undefined;
  #end: { readonly method: string; readonly params: JsonObject } | undefined;
  readonly #sent = new Set<'input' | 'end'>();

  constructor(notify: (method: string, params: JsonObject) => void) {
    this.#notify = notify;
  }

  /** The view is ready. */
  open(): void {
    this.#isOpen = true;
    this.#flush();
  }

  partial(args: JsonObject): void {
    if (this.#input !== undefined || this.#end !== undefined) return;
    this.#partial = args;
    this.#flush();
  }

  input(args: JsonObject): boolean {
    if (this.#input !== undefined || this.#end !== undefined) return false;
    this.#input = { arguments: args };
    this.#partial = undefined;
    this.#flush();
    return true;
  }

  result(result: JsonObject): boolean {
    if (this.#end === undefined && this.#input === undefined)
      throw new TypeError('A view gets the arguments of a call before its result: call toolInput() first.');
    return this.#finish('ui/notifications/tool-result', result);
  }

  cancelled(reason: string | undefined): boolean {
    return this.#finish('ui/notifications/tool-cancelled', { ...(reason !== undefined && { reason }) });
  }

  #finish(method: string, params: JsonObject): boolean {
    if (this.#end !== undefined) return false;
    this.#end = { method, params };
    this.#partial = undefined;
    this.#flush();
    return true;
  }

  #flush(): void {
    if (!this.#isOpen) return;
    if (this.#partial !== undefined) {
      this.#notify('ui/notifications/tool-input-partial', { arguments: this.#partial });
      this.#partial = undefined;
    }
    if (this.#input !== undefined && !this.#sent.has('input')) {
      this.#sent.add('input');
      this.#notify('ui/notifications/tool-input', { ...this.#input });
    }
    if (this.#end !== undefined && !this.#sent.has('end')) {
      this.#sent.add('end');
      this.#notify(this.#end.method, this.#end.params);
    }
  }
}

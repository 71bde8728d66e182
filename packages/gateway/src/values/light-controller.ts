type Listener = () => void;

/** The part of an `AbortController`, and of its signal, that a client uses for a request. Almost none is ever aborted. */
class LightController {
  readonly #listeners: Listener[] = [];
  aborted = false;
  reason: unknown;

  get signal(): this {
    return this;
  }

  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const run of this.#listeners.splice(0)) run();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', run: Listener): void {
    if (!this.#listeners.includes(run)) this.#listeners.push(run);
  }

  removeEventListener(_type: 'abort', run: Listener): void {
    const at = this.#listeners.indexOf(run);
    if (at !== -1) this.#listeners.splice(at, 1);
  }
}

/** One as the types of the runtime have it. Its signal may go to clients of the protocol and to `nodeFetch`, not to the runtime. */
export function newLightController(): AbortController {
  return new LightController() as object as AbortController;
}

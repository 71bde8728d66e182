import { redirectAnswer, type Answer } from '../http/answer.ts';
import type { AuthorizationReply } from './oauth-server-provider.ts';

/** Records the response of a provider, where there is no framework response to write to. */
export class RecordedReply implements AuthorizationReply {
  readonly #headers: Record<string, string> = {};
  #status = 200;
  #answer: Answer | undefined;

  /** Throws when the provider has written nothing. */
  get answer(): Answer {
    if (this.#answer === undefined) throw new TypeError('The provider has neither redirected nor sent anything.');
    return this.#answer;
  }

  redirect(...args: [url: string] | [status: number, url: string]): void {
    const url = args.length === 1 ? args[0] : args[1];
    const answer = redirectAnswer(url, this.#headers);
    this.#answer = args.length === 1 ? { ...answer, status: 302 } : { ...answer, status: args[0] };
  }

  setHeader(name: string, value: string): void {
    this.#headers[name] = value;
  }

  status(code: number): this {
    this.#status = code;
    return this;
  }

  send(body: string): void {
    this.#answer = {
      status: this.#status,
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', ...this.#headers },
      body,
    };
  }
}

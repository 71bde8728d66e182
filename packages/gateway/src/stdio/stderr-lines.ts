import { Writable } from 'node:stream';
import { visibleText } from '../values/visible-text.ts';

const LONGEST = 2000;

/** Gives each line of a child's stderr to a function, with unseen characters as their codes, and cut after 2,000 characters. */
export class StderrLines {
  /** The destination of the child's stderr. */
  readonly stream: Writable;
  readonly #online: (line: string) => void;
  #decoder = new TextDecoder();
  #open = '';
  #isCut = false;

  constructor(online: (line: string) => void) {
    this.#online = online;
    this.stream = new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        this.#take(this.#decoder.decode(chunk, { stream: true }));
        done();
      },
    });
  }

  /** Gives the last line, where no line end followed it: the child has ended. */
  flush(): void {
    this.#take(this.#decoder.decode());
    this.#decoder = new TextDecoder();
    if (this.#open !== '') this.#end();
  }

  #take(text: string): void {
    const parts = text.split('\n');
    for (const [index, part] of parts.entries()) {
      this.#isCut ||= this.#open.length + part.length > LONGEST;
      this.#open = (this.#open + part).slice(0, LONGEST);
      if (index < parts.length - 1) this.#end();
    }
  }

  #end(): void {
    this.#online(visibleText(this.#open.replace(/\r$/, '')) + (this.#isCut ? ' …' : ''));
    this.#open = '';
    this.#isCut = false;
  }
}

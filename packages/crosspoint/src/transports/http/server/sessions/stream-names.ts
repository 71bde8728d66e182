/** Names that no other stream of a session has, in this process or another. */
export class StreamNames {
  readonly #start: string;
  #count = 0;

  constructor(prefix: string = '') {
    this.#start = `${prefix}${crypto.randomUUID().slice(-12)}`;
  }

  next(): string {
    this.#count += 1;
    return `${this.#start}-${this.#count}`;
  }
}

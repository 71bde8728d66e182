// A load of lines to a server on its standard input, so cheap that the server is the limit: lines are put together from prepared text, and
// answers are checked as text.
import { Ring } from './ring.mjs';

const FIRST_ID = 100_000_000;
const ID_DIGITS = 9;

export class StdioLoad {
  #child;
  #expected;
  #before;
  #after;
  #rest = '';
  #waiting = new Ring(FIRST_ID);
  #onanswers = () => {};
  #errors = 0;
  #firstError;

  /**
   * @param {import('node:child_process').ChildProcess} child with pipes for standard input and output
   * @param {{ line: string, mark: string, expect: string }} what the line has the mark where the id belongs
   */
  constructor(child, { line, mark, expect }) {
    this.#child = child;
    this.#expected = expect;
    [this.#before, this.#after] = line.split(mark);
    this.#after += '\n';
    child.stdout.setEncoding('latin1').on('data', (text) => this.#read(text));
    child.on('exit', () => this.#onanswers(0, new Error('The server ended.')));
  }

  /** Sends one message and waits for the answer with its id. */
  ask(message) {
    return new Promise((resolve, reject) => {
      let text = '';
      this.#onanswers = (_count, error) => error && reject(error);
      const listen = (chunk) => {
        text += chunk;
        for (const line of text.split('\n').slice(0, -1)) {
          if (JSON.parse(line).id !== message.id) continue;
          this.#child.stdout.off('data', listen);
          resolve(JSON.parse(line));
        }
      };
      this.#child.stdout.on('data', listen);
      this.tell(message);
    });
  }

  tell(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #read(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    let count = 0;
    for (const line of lines) {
      const at = line.indexOf('"id":');
      const id = Number(line.slice(at + 5, at + 5 + ID_DIGITS));
      if (this.#waiting.take(id) === undefined) continue;
      count += 1;
      if (line.includes(this.#expected)) continue;
      this.#errors += 1;
      this.#firstError ??= line.slice(0, 600);
    }
    if (count > 0) this.#onanswers(count);
  }

  #send(count) {
    let out = '';
    for (let left = count; left > 0; left -= 1) {
      out += this.#before + this.#waiting.add(true) + this.#after;
    }
    this.#child.stdin.write(out, 'latin1');
  }

  /** Keeps `inFlight` calls in flight for `ms` milliseconds, then waits for the last answers. */
  run({ ms, inFlight }) {
    const since = performance.now();
    let done = 0;
    return new Promise((resolve, reject) => {
      this.#onanswers = (count, error) => {
        if (error) return reject(error);
        done += count;
        if (performance.now() - since < ms) return this.#send(count);
        if (this.#waiting.size > 0) return;
        const seconds = (performance.now() - since) / 1000;
        resolve({ count: done, seconds, errors: this.#errors, firstError: this.#firstError });
      };
      this.#send(inFlight);
    });
  }
}

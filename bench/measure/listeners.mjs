// Many open event streams, over raw sockets, that wait for one line.
import { connect } from 'node:net';

const LIMIT_MS = 60_000;

/** One stream. */
class Listener {
  #socket;
  #text = '';
  #awaited;

  /** Sends the request and resolves when the stream has begun. */
  async open(port, head, body = '') {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text) => {
      this.#text += text;
      this.#look();
    });
    this.#socket.on('error', (error) => this.#awaited?.reject(error));
    this.#socket.on('close', () =>
      this.#awaited?.reject(new Error(`A stream was closed: ${this.#text.slice(0, 300)}`)),
    );
    const begun = this.waitFor('\r\n\r\n');
    this.#socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    await begun;
    if (!this.#text.startsWith('HTTP/1.1 200')) throw new Error(`No stream: ${this.#text.slice(0, 300)}`);
  }

  /** Resolves when the text arrives; earlier text is dropped. */
  waitFor(expected) {
    return new Promise((resolve, reject) => {
      this.#awaited = { expected, resolve, reject };
      this.#look();
    });
  }

  forget() {
    this.#text = '';
  }

  #look() {
    if (this.#awaited === undefined || !this.#text.includes(this.#awaited.expected)) return;
    const { resolve } = this.#awaited;
    this.#awaited = undefined;
    resolve(performance.now());
  }

  /** Number of times a text has arrived since the last reset. */
  count(text) {
    return this.#text.split(text).length - 1;
  }

  close() {
    this.#awaited = undefined;
    this.#socket.destroy();
  }
}

export class Listeners {
  #all = [];

  /** @param {{ head: string, body?: string }[]} requests the head without the length and the empty line */
  async open(port, requests, awaited) {
    const atOnce = 16;
    for (let at = 0; at < requests.length; at += atOnce) {
      const group = requests.slice(at, at + atOnce).map(async ({ head, body }) => {
        const listener = new Listener();
        this.#all.push(listener);
        await listener.open(port, head, body);
        if (awaited !== undefined) await listener.waitFor(awaited);
      });
      await Promise.all(group);
    }
  }

  /** Resolves with the time at which the last listener got the text. */
  async everyone(text) {
    let timer;
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`Not everybody was told within ${LIMIT_MS} ms.`)), LIMIT_MS);
    });
    for (const listener of this.#all) listener.forget();
    const moments = await Promise.race([Promise.all(this.#all.map((listener) => listener.waitFor(text))), late]);
    clearTimeout(timer);
    return Math.max(...moments);
  }

  /** Whether each listener got the text exactly once since the last call. */
  gotOnce(text) {
    return this.#all.every((listener) => listener.count(text) === 1);
  }

  close() {
    for (const listener of this.#all) listener.close();
  }
}

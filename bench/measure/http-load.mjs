// A load of HTTP requests over raw sockets, so cheap that the server is the limit: requests are prepared bytes in which only the id of the
// message changes, and answers are read only as far as needed to find their end and to check them.
import { connect } from 'node:net';
import { percentile } from './statistics.mjs';

/** Ids all have this many digits, so that the length of a request never changes. */
const ID_DIGITS = 9;
export const ID_MARK = '@message_id';
let lastId = 10 ** (ID_DIGITS - 1);

/** @param {{ port: number, path: string, headers: Record<string, string>, body: string }} request the body has ID_MARK where the id belongs */
function prepareRequest({ port, path, headers, body }) {
  const filled = body.replace(ID_MARK, '0'.repeat(ID_DIGITS));
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers, 'content-length': Buffer.byteLength(filled) });
  const head = `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return { bytes: Buffer.from(head + filled), idAt: Buffer.byteLength(head + body.slice(0, body.indexOf(ID_MARK))) };
}

/** Characters kept of the beginning of an answer: enough for its headers and the start of its body. */
const KEPT_BEGINNING = 4096;

/** Least number of characters kept of the end of an answer, however small its pieces: the expected text is there. */
const KEPT_END = 4096;

/** Reads one answer after the other from the incoming text, and keeps only the beginning and the end of a long one. */
class AnswerReader {
  #first = '';
  #last = '';
  /** Characters still missing of an answer of known length; Infinity while it ends with its last chunk. */
  #missing = Infinity;
  #hasHead = false;

  /** @returns {string | undefined} the answer, or nothing while it has not arrived in full */
  add(text) {
    const isBeginning = this.#first.length < KEPT_BEGINNING;
    if (isBeginning) this.#first += text;
    this.#last = text.length >= KEPT_END ? text : (this.#last + text).slice(-KEPT_END);
    if (this.#hasHead) this.#missing -= text.length;
    else if (!this.#readHead()) return undefined;
    if (this.#missing > 0 && !(this.#missing === Infinity && this.#last.endsWith('\r\n0\r\n\r\n'))) return undefined;
    const answer = isBeginning ? this.#first : this.#first + this.#last;
    this.#hasHead = false;
    this.#first = this.#last = '';
    return answer;
  }

  #readHead() {
    const end = this.#first.indexOf('\r\n\r\n');
    if (end === -1) return false;
    const head = this.#first.slice(0, end).toLowerCase();
    const at = head.indexOf('\r\ncontent-length:');
    const isChunked = at === -1 && head.includes('\r\ntransfer-encoding: chunked');
    const length = at === -1 ? 0 : Number.parseInt(head.slice(at + 17), 10);
    this.#missing = isChunked ? Infinity : end + 4 + length - this.#first.length;
    this.#hasHead = true;
    return true;
  }
}

/** One connection: a request, its answer, the next request. */
class Connection {
  #socket;
  #load;
  #bytes;
  #idAt;
  #reader = new AnswerReader();
  #sentAt = 0;
  #id = 0;

  constructor(load, request) {
    this.#load = load;
    const { bytes, idAt } = prepareRequest(request);
    this.#bytes = bytes;
    this.#idAt = idAt;
  }

  async open(port) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    socket.setEncoding('latin1');
    socket.on('data', (text) => this.#read(text));
    socket.on('error', (error) => this.#load.fail(error.message));
    socket.on('close', () => this.#load.fail('the server closed a connection'));
  }

  send() {
    this.#id = ++lastId;
    // The bytes are copied by the kernel before write returns, unless the socket is full, which one small request cannot make it.
    this.#bytes.latin1Write(String(this.#id), this.#idAt);
    this.#sentAt = performance.now();
    this.#socket.write(this.#bytes);
  }

  #read(text) {
    const answer = this.#reader.add(text);
    if (answer === undefined) return;
    this.#load.answered(performance.now() - this.#sentAt, answer, this.#id);
    if (this.#load.isOver()) this.#load.rest();
    else this.send();
  }

  close() {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }
}

class Load {
  #connections = [];
  #expected;
  #times = [];
  #errors = 0;
  #firstError;
  #until = 0;
  #busy = 0;
  #done = () => {};
  #isClosed = false;

  /** @param {{ port: number, requests: object[], expect: string[] }} plan one connection for each request */
  async open({ port, requests, expect }) {
    this.#expected = expect;
    this.#connections = requests.map((request) => new Connection(this, { port, ...request }));
    await Promise.all(this.#connections.map((connection) => connection.open(port)));
  }

  isOver() {
    return performance.now() >= this.#until;
  }

  answered(ms, answer, id) {
    this.#times.push(ms);
    const isRight =
      answer.startsWith('HTTP/1.1 200') &&
      answer.includes(`"id":${id}`) &&
      this.#expected.every((expected) => answer.includes(expected));
    if (!isRight) this.#note(answer.slice(0, 600));
  }

  #note(error) {
    this.#errors += 1;
    this.#firstError ??= error;
  }

  fail(reason) {
    if (this.#isClosed) return;
    this.#note(reason);
    this.#until = 0;
    this.rest();
  }

  rest() {
    this.#busy -= 1;
    if (this.#busy <= 0) this.#done();
  }

  /** Keeps every connection busy for `ms` milliseconds, then waits for the last answers. */
  async run(ms) {
    this.#times = [];
    const since = performance.now();
    this.#until = since + ms;
    this.#busy = this.#connections.length;
    await new Promise((resolve) => {
      this.#done = resolve;
      for (const connection of this.#connections) connection.send();
    });
    const seconds = (performance.now() - since) / 1000;
    const sorted = Float64Array.from(this.#times).sort();
    return {
      seconds,
      count: sorted.length,
      p50: percentile(sorted, 0.5) * 1000,
      p99: percentile(sorted, 0.99) * 1000,
      errors: this.#errors,
      firstError: this.#firstError,
    };
  }

  close() {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.close();
  }
}

/** The part that subjects/host.mjs runs: one load at a time. */
export function start() {
  let load;
  const commands = {
    async open(plan) {
      load?.close();
      load = new Load();
      await load.open(plan);
    },
    run: (ms) => load.run(ms),
    close: () => load?.close(),
  };
  return { commands };
}

/** One TCP connection on which HTTP/1.1 is written byte by byte and every answer is read. */
import { connect } from 'node:net';

const MOST_KEPT = 8 * 1024 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');

export class RawConnection {
  /** @type {{ status: number, headers: Record<string, string>, body: string, isOver: boolean }[]} */
  answers = [];
  /** All text received, for marks that belong to other clients. */
  text = '';
  isClosed = false;
  /** Number of requests written. */
  asked = 0;
  #socket;
  #rest = Buffer.alloc(0);
  #left = 0;
  #mode = 'head';
  #waiters = new Set();

  /** @param {string} [from] another address of this machine */
  constructor(port, from) {
    this.#socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true });
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', () => this.#close());
    this.#socket.on('close', () => this.#close());
    this.#socket.on('end', () => {
      this.#close();
      this.#socket.destroy();
    });
  }

  write(chunk) {
    if (!this.#socket.destroyed && !this.#socket.writableEnded) this.#socket.write(chunk);
  }

  /** Ends the sending side, and goes on reading. */
  halfClose() {
    this.#socket.end();
  }

  destroy() {
    this.#socket.destroy();
  }

  reset() {
    this.#socket.resetAndDestroy();
  }

  /** Whether every request is answered. */
  get isFree() {
    return this.answers.length >= this.asked && this.answers.every(({ isOver }) => isOver);
  }

  /** Waits for the head of the answer with this index, then until it is whole or a moment has passed; false without a head. */
  async answered(index, { headMs, wholeMs }) {
    const hasHead = () => this.answers[index] !== undefined || this.isClosed;
    if (!(await this.#until(hasHead, headMs))) return false;
    await this.#until(() => this.answers[index] === undefined || this.answers[index].isOver, wholeMs);
    return true;
  }

  async #until(holds, ms) {
    if (holds()) return true;
    return new Promise((resolve) => {
      const settle = (value) => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        resolve(value);
      };
      const check = () => holds() && settle(true);
      const timer = setTimeout(() => settle(false), ms);
      this.#waiters.add(check);
    });
  }

  #close() {
    this.isClosed = true;
    const last = this.answers.at(-1);
    if (last) last.isOver = true;
    this.#changed();
  }

  #changed() {
    for (const check of this.#waiters) check();
  }

  #take(chunk) {
    if (this.text.length < MOST_KEPT) this.text += chunk.toString('latin1');
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#step());
    this.#changed();
  }

  /** Reads one more part of an answer; false when more bytes are needed for it. */
  #step() {
    if (this.#mode === 'head') return this.#readHead();
    const answer = this.answers.at(-1);
    if (this.#mode === 'until-end') return this.#body(answer, this.#rest.length) && false;
    if (this.#mode === 'chunk-size') return this.#readChunkSize(answer);
    if (this.#left === 0) return this.#endOfPart(answer);
    if (this.#rest.length === 0) return false;
    this.#body(answer, Math.min(this.#left, this.#rest.length));
    return true;
  }

  #body(answer, length) {
    if (answer.body.length < MOST_KEPT) answer.body += this.#rest.subarray(0, length).toString('latin1');
    this.#rest = this.#rest.subarray(length);
    this.#left -= length;
    return true;
  }

  #endOfPart(answer) {
    if (this.#mode === 'chunk') {
      if (this.#rest.length < 2) return false;
      this.#rest = this.#rest.subarray(2);
      this.#mode = 'chunk-size';
      return true;
    }
    answer.isOver = true;
    this.#mode = 'head';
    return true;
  }

  #readChunkSize(answer) {
    const end = this.#rest.indexOf('\r\n');
    if (end === -1) return false;
    this.#left = Number.parseInt(this.#rest.subarray(0, end).toString('latin1'), 16) || 0;
    this.#rest = this.#rest.subarray(end + 2);
    this.#mode = 'chunk';
    if (this.#left === 0) {
      answer.isOver = true;
      this.#rest = this.#rest.subarray(2);
      this.#mode = 'head';
    }
    return true;
  }

  #readHead() {
    const end = this.#rest.indexOf(HEAD_END);
    if (end === -1) return false;
    const [first = '', ...lines] = this.#rest.subarray(0, end).toString('latin1').split('\r\n');
    this.#rest = this.#rest.subarray(end + HEAD_END.length);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0);
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    if (status === 100) return true;
    this.answers.push({ status, headers, body: '', isOver: false });
    const length = headers['content-length'];
    if (headers['transfer-encoding'] === 'chunked') this.#mode = 'chunk-size';
    else if (length !== undefined || status === 204 || status === 304) {
      this.#left = Number(length ?? 0);
      this.#mode = 'body';
    } else this.#mode = 'until-end';
    return true;
  }
}

/** A conversation in lines with a server that may ask back: its questions are answered at once. */
export class LineConversation {
  #child;
  #answerTo;
  #rest = '';
  #waiting = new Map();

  /**
   * @param {import('node:child_process').ChildProcess} child
   * @param {(question: object) => object} answerTo returns the answer to a request of the server
   */
  constructor(child, answerTo) {
    this.#child = child;
    this.#answerTo = answerTo;
    child.stdout.setEncoding('utf8').on('data', (text) => this.#read(text));
    child.on('exit', () => this.#fail(new Error('The server ended.')));
  }

  tell(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves with the answer that has the id of the message. */
  ask(message) {
    return new Promise((resolve, reject) => {
      this.#waiting.set(message.id, { resolve, reject });
      this.tell(message);
    });
  }

  #read(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) this.#take(JSON.parse(line));
  }

  #take(message) {
    if (message.method === undefined) {
      this.#waiting.get(message.id)?.resolve(message);
      this.#waiting.delete(message.id);
    } else if (message.id !== undefined) {
      this.tell({ jsonrpc: '2.0', id: message.id, result: this.#answerTo(message) });
    }
  }

  #fail(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

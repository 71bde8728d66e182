/** How far something is. `message` may be a text of a server: characters that a terminal acts on are shown as codes. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

const WIDTH = 24;
const LEAST_MS = 80;

/** Progress on stderr: a bar that is drawn over itself on a terminal, lines elsewhere. */
export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;
  readonly #way: 'bar' | 'lines' | 'none';
  /** Nothing is shown while it is true. */
  isPaused = false;
  #isShown = false;
  #shownAt = -Infinity;

  constructor(stream: NodeJS.WriteStream, way: 'bar' | 'lines' | 'none') {
    this.#stream = stream;
    this.#way = way;
  }

  show(progress: Progress): void {
    if (this.#way === 'none' || this.isPaused) return;
    if (this.#way === 'lines') return void this.#stream.write(`${textOf(progress)}\n`);
    const now = performance.now();
    const isLast = progress.total !== undefined && progress.progress >= progress.total;
    if (!isLast && now - this.#shownAt < LEAST_MS) return;
    this.#shownAt = now;
    this.#isShown = true;
    const { total } = progress;
    const bar = total !== undefined && total > 0 ? `${barOf(progress.progress / total)} ` : '';
    const columns = this.#stream.columns || 80;
    this.#stream.write(`\r\u001B[2K${`${bar}${textOf(progress)}`.slice(0, columns - 1)}`);
  }

  /** Takes the bar away before other words are printed. */
  clear(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#stream.write('\r\u001B[2K');
  }
}

function barOf(share: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}]`;
}

function textOf({ progress, total, message }: Progress): string {
  const number = total === undefined ? String(progress) : `${progress}/${total}`;
  return message === undefined || message === '' ? number : `${number} ${visible(message)}`;
}

/** Written here, because the host has the same and would be loaded for it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu;

function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

import type { CatalogueTool } from '../catalogue/catalogue.ts';
import type { Ranked } from './tool-index.ts';

/** A tool that was found. Scores order the tools of one search, and say nothing across searches. */
export interface FoundTool {
  readonly tool: CatalogueTool;
  readonly score: number;
}

/** The part of the found tools that one server may take while others have tools that fit. */
const SHARE = 0.6;
/** A tool that had to wait takes the place of one of another server that fits this many times worse. */
const MUCH_BETTER = 4;
/** Tools of a server that wait to be accepted, after which its others are not looked at. */
const MOST_HIDDEN = 50;

/** Takes the best tools, so that no server fills the list, or the time, alone. */
export class FairChoice {
  readonly #limit: number;
  readonly #taken = new Map<string, number>();
  readonly #hidden = new Map<string, number>();
  readonly #held: Ranked[] = [];
  readonly #found: FoundTool[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#found.length >= this.#limit;
  }

  /** The tools that were taken, best first. */
  get found(): readonly FoundTool[] {
    return this.#found;
  }

  /** The tools that wait because their server has its share, best first. */
  get held(): readonly Ranked[] {
    return this.#held;
  }

  mayTake(one: Ranked): boolean {
    if ((this.#hidden.get(one.server) ?? 0) >= MOST_HIDDEN) return false;
    if ((this.#taken.get(one.server) ?? 0) < Math.ceil(this.#limit * SHARE)) return true;
    if (this.#held.length < this.#limit) this.#held.push(one);
    return false;
  }

  /** Whether there is room for a tool that waited, or one that fits much worse. */
  mayReturn({ score }: Ranked): boolean {
    return !this.isFull || (this.#found.at(-1)?.score ?? 0) * MUCH_BETTER < score;
  }

  /** Takes a tool; `undefined` stands for one that may not be shown. */
  take({ server, score }: Ranked, tool: CatalogueTool | undefined): void {
    const counts = tool === undefined ? this.#hidden : this.#taken;
    counts.set(server, (counts.get(server) ?? 0) + 1);
    if (tool === undefined) return;
    if (this.isFull) this.#found.pop();
    this.#found.push({ tool, score });
    this.#found.sort((one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1));
  }
}

import type { CallOptions, JsonMembers, Seat } from './seats/seat.ts';

/** One step of a conversation as the client saw it. */
export interface Step {
  readonly step: string;
  readonly outcome: unknown;
  readonly asked?: unknown;
  readonly progress?: unknown;
  readonly logs?: unknown;
}

export type Transcript = Record<string, Omit<Step, 'step'>>;

const PAGES_FIRST = -32042;
const WAIT_MS = 3000;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether it became true in time: what does not come is a difference between transcripts, not an error of its own. */
export async function comes(isTrue: () => boolean | Promise<boolean>, limitMs: number = WAIT_MS): Promise<boolean> {
  const end = Date.now() + limitMs;
  while (!(await isTrue())) {
    if (Date.now() > end) return false;
    await pause(5);
  }
  return true;
}

interface Refusal {
  readonly code?: unknown;
  readonly message?: string;
  readonly data?: { readonly elicitations?: readonly { readonly elicitationId: string }[] };
}

export function refusal(error: unknown): { error: unknown } {
  const { code, message } = error as Refusal;
  return { error: { code, message } };
}

/** JSON with sorted members, without those that a hop may add. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (name, member: unknown) => {
    if (name === '_meta' || name === 'mode' || name === 'elicitationId') return undefined;
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/** The steps of one conversation, each with the questions, logs and progress that came with it. */
export class Recording {
  readonly steps: Transcript = {};
  readonly seat: Seat;
  readonly #apart: readonly string[];

  /** `apart`: methods of questions that belong to no step. */
  constructor(seat: Seat, apart: readonly string[] = []) {
    this.seat = seat;
    this.#apart = apart;
  }

  async step(name: string, act: (progress: unknown[]) => Promise<unknown>): Promise<void> {
    const { seen } = this.seat;
    const askedBefore = seen.asked.length;
    const progress: unknown[] = [];
    const outcome = await act(progress).catch(refusal);
    // Questions that are asked side by side come in either order.
    const asked = seen.asked
      .slice(askedBefore)
      .filter(({ method }) => !this.#apart.includes(method))
      .toSorted((one, other) => (canonical(one) < canonical(other) ? -1 : 1));
    this.steps[name] = {
      outcome,
      ...(asked.length > 0 && { asked }),
      ...(progress.length > 0 && { progress }),
    };
  }

  /** Calls a tool. A refusal that names pages is settled as a user would: each is visited, and the call made again when they are done. */
  async call(name: string, args: JsonMembers = {}, options: CallOptions = {}): Promise<unknown> {
    const { seat } = this;
    try {
      return await seat.call(name, args, options);
    } catch (error) {
      const { code, data } = error as Refusal;
      if (code !== PAGES_FIRST || data?.elicitations === undefined) throw error;
      for (const params of data.elicitations) seat.seen.asked.push({ method: 'elicitation/create', params });
      const ids = data.elicitations.map(({ elicitationId }) => elicitationId);
      await comes(() => ids.every((id) => seat.seen.pagesDone.includes(id)));
      return seat.call(name, args, options);
    }
  }
}

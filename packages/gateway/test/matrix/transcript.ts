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

/** The steps of one conversation, each with the questions, logs and progress that came with it. */
export class Recording {
  readonly steps: Transcript = {};
  readonly seat: Seat;

  constructor(seat: Seat) {
    this.seat = seat;
  }

  async step(name: string, act: (progress: unknown[]) => Promise<unknown>): Promise<void> {
    const { seen } = this.seat;
    const askedBefore = seen.asked.length;
    const progress: unknown[] = [];
    const outcome = await act(progress).catch(refusal);
    const asked = seen.asked.slice(askedBefore);
    this.steps[name] = {
      outcome,
      ...(asked.length > 0 && {
        asked: asked
          .map((ask) => JSON.stringify(ask))
          .toSorted()
          .map((ask) => JSON.parse(ask) as unknown),
      }),
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

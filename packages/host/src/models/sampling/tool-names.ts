import type { Tool } from 'crosspoint/client';
import { catalogueName } from '../../catalogue/names.ts';

const PLAIN = /^[A-Za-z0-9_-]{1,64}$/;

/** The names of a server's tools as models take them, and back. A name that is none of these tools leads nowhere. */
export class ToolNames {
  readonly #own = new Map<string, string>();

  constructor(tools: readonly Tool[]) {
    // Plain names first: a name that had to be changed never takes the place of one that did not.
    for (const { name } of tools) if (PLAIN.test(name)) this.#own.set(name, name);
    for (const { name } of tools) if (!PLAIN.test(name)) this.#own.set(this.toModel(name), name);
  }

  toModel(name: string): string {
    return PLAIN.test(name) ? name : catalogueName('tool', name);
  }

  /** The server's own name of a tool that the model named; `undefined` for any other tool. */
  toServer(name: string): string | undefined {
    return this.#own.get(name);
  }
}

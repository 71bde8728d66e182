/** Gives the lines of a shell one after the other; `undefined` when there are no more. */
export interface Lines {
  next(): Promise<string | undefined>;
}

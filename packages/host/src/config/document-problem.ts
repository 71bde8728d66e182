/** A fault of a manifest or a registry document that others wrote. */
export interface DocumentProblem {
  /** `error`: the document, or the part at `pointer`, is not used. `warning`: it is, and may not do what its author meant. */
  readonly severity: 'error' | 'warning';
  /** JSON pointer into the document; empty for the whole of it. */
  readonly pointer: string;
  /** The fault and the remedy, unseen characters made visible. */
  readonly message: string;
}

/** A JSON pointer made of member names. */
export function pointerOf(...names: readonly (string | number)[]): string {
  return names.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

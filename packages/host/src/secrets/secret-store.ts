/**
 * A place where secrets are kept under names. Values leave it by `get` alone: no error, no inspection and no JSON of a store holds one.
 */
export interface SecretStore {
  /** The value; `undefined` where there is none. */
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  /** Whether there was one. */
  delete(name: string): Promise<boolean>;
  /** Every name, in order. */
  names(): Promise<readonly string[]>;
  /** One sentence for users: which store this is, and what protects it. */
  describe(): string;
}

import { checkName, checkValue } from './secret-name.ts';
import type { SecretStore } from './secret-store.ts';

/** Keeps secrets in this process alone, for tests and for programs that need them once. */
export class MemorySecrets implements SecretStore {
  readonly #values = new Map<string, string>();

  async get(name: string): Promise<string | undefined> {
    checkName(name);
    return this.#values.get(name);
  }

  async set(name: string, value: string): Promise<void> {
    checkName(name);
    checkValue(name, value);
    this.#values.set(name, value);
  }

  async delete(name: string): Promise<boolean> {
    checkName(name);
    return this.#values.delete(name);
  }

  async names(): Promise<readonly string[]> {
    return [...this.#values.keys()].sort();
  }

  describe(): string {
    return 'Secrets are kept in the memory of this process, and are gone when it ends.';
  }
}

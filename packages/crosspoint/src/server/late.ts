/** Something that most programs never need: loaded with its first use, at hand from then on. */
export interface Late<T> {
  /** It, once it is loaded: whoever finds it need not wait. */
  readonly value: T | undefined;
  /** Those who wait go on in the order in which they came. */
  load(): Promise<T>;
}

/** A module, for everyone in this process. */
export class LateModule<T> implements Late<T> {
  value: T | undefined;
  readonly #import: () => Promise<T>;
  #loading: Promise<T> | undefined;

  constructor(load: () => Promise<T>) {
    this.#import = load;
  }

  /** Loads it once, however many wait for it. What has failed is tried anew. */
  load(): Promise<T> {
    this.#loading ??= this.#import().then(
      (value) => (this.value = value),
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }
}

/** What one server makes of such a module, once and as late. */
export class LateOwn<Module, T> implements Late<T> {
  readonly #module: Late<Module>;
  readonly #make: (module: Module) => T;
  #made: T | undefined;
  #loading: Promise<T> | undefined;

  constructor(module: Late<Module>, make: (module: Module) => T) {
    this.#module = module;
    this.#make = make;
  }

  get value(): T | undefined {
    if (this.#made === undefined && this.#module.value !== undefined) this.#made = this.#make(this.#module.value);
    return this.#made;
  }

  load(): Promise<T> {
    this.#loading ??= this.#module.load().then(
      (module) => (this.#made ??= this.#make(module)),
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  /** It, where it was made or is about to be; nothing is made for the sake of asking. */
  get begun(): T | Promise<T> | undefined {
    return this.#made ?? this.#loading;
  }
}

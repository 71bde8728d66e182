import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import { pointerTo, type ProblemCode } from '../problem.ts';
import type { ProblemSink } from './shape.ts';

/** Reads the members of one object by their types, reports those of another type, and remembers which were read. */
export class MemberReader {
  readonly pointer: string;
  readonly value: JsonObject;
  readonly #sink: ProblemSink;
  readonly #server: string;
  readonly #read = new Set<string>();
  #hasErrors = false;

  constructor(value: JsonObject, place: { pointer: string; server: string }, sink: ProblemSink) {
    this.value = value;
    this.pointer = place.pointer;
    this.#server = place.server;
    this.#sink = sink;
  }

  get hasErrors(): boolean {
    return this.#hasErrors;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.value, key);
  }

  text(key: string): string | undefined {
    return this.#typed(key, 'a text', (value) => (typeof value === 'string' ? value : undefined));
  }

  boolean(key: string): boolean | undefined {
    return this.#typed(key, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  /** A whole number of at least 1. */
  count(key: string): number | undefined {
    return this.#typed(key, 'a whole number above 0', (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined,
    );
  }

  texts(key: string): readonly string[] | undefined {
    return this.#typed(key, 'a list of texts', (value) =>
      Array.isArray(value) && value.every((item: Json) => typeof item === 'string') ? value : undefined,
    );
  }

  textMap(key: string): Readonly<Record<string, string>> | undefined {
    return this.#typed(key, 'an object whose values are texts', (value) =>
      isObject(value) && Object.values(value).every((item) => typeof item === 'string')
        ? (value as Record<string, string>)
        : undefined,
    );
  }

  nullableTextMap(key: string): Readonly<Record<string, string | null>> | undefined {
    return this.#typed(key, 'an object whose values are texts or null', (value) =>
      isObject(value) && Object.values(value).every((item) => item === null || typeof item === 'string')
        ? (value as Record<string, string | null>)
        : undefined,
    );
  }

  /** A reader of the object at `key`. */
  object(key: string): MemberReader | undefined {
    const value = this.#typed(key, 'an object', (item) => (isObject(item) ? item : undefined));
    if (value === undefined) return undefined;
    return new MemberReader(value, { pointer: this.pointer + pointerTo(key), server: this.#server }, this.#sink);
  }

  /** Notes that `key` was read by other means. */
  take(key: string): void {
    this.#read.add(key);
  }

  /** The members that nothing has read. */
  others(): Record<string, Json> {
    const left = Object.entries(this.value).filter(([key]) => !this.#read.has(key));
    return Object.fromEntries(left.map(([key, value]) => [key, value ?? null]));
  }

  error(code: ProblemCode, key: string | undefined, message: string): void {
    this.#hasErrors = true;
    this.#report('error', code, key, message);
  }

  warn(code: ProblemCode, key: string | undefined, message: string): void {
    this.#report('warning', code, key, message);
  }

  #report(severity: 'error' | 'warning', code: ProblemCode, key: string | undefined, message: string): void {
    const pointer = key === undefined ? this.pointer : this.pointer + pointerTo(key);
    this.#sink.report({ severity, code, pointer, message, server: this.#server });
  }

  #typed<T>(key: string, kind: string, read: (value: Json) => T | undefined): T | undefined {
    if (!this.has(key)) return undefined;
    this.#read.add(key);
    const value = read(this.value[key] ?? null);
    if (value === undefined) this.error('type', key, `must be ${kind}.`);
    return value;
  }
}

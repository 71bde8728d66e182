import type { Dialect, Reference } from '../interpolation/dialects.ts';
import { faultOf, parseTemplate, shownSource, type Part } from '../interpolation/template.ts';
import type { InputDefinition } from '../server-entry.ts';

/** A text in another dialect; `text` is absent when there are no words for it. */
export interface Translation {
  readonly text?: string;
  /** Changes made on the way, one sentence each. */
  readonly lost: readonly string[];
}

/** Translates the texts of one document from one dialect to another. */
export class Translator {
  readonly #from: Dialect;
  readonly #to: Dialect;
  readonly #inputs: ReadonlyMap<string, InputDefinition>;
  readonly #variables = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(from: Dialect, to: Dialect, inputs: readonly InputDefinition[]) {
    this.#from = from;
    this.#to = to;
    this.#inputs = new Map(inputs.map((input) => [input.id, input]));
  }

  translate(text: string): Translation {
    if (this.#from === this.#to) return { text, lost: [] };
    const lost: string[] = [];
    let translated = '';
    for (const part of parseTemplate(text, this.#from)) {
      const words = this.#wordsOf(part, lost);
      if (words === undefined) return { lost };
      translated += words;
    }
    return { text: translated, lost };
  }

  #wordsOf(part: Part, lost: string[]): string | undefined {
    if ('text' in part) return this.#plain(part.text, lost);
    const fault = faultOf(part);
    if (fault !== undefined || !('reference' in part)) {
      lost.push(`${fault}.`);
      return undefined;
    }
    const words = this.#to.write(part.reference);
    if (words !== undefined) return words;
    const shown = shownSource(part.source);
    const [other, why] = this.#substitute(part.reference);
    lost.push(
      other === undefined
        ? `${this.#to.title} has no word for ${shown}.`
        : `${shown} became ${shownSource(other)}: ${why}.`,
    );
    return other;
  }

  /** Words that stand for themselves. A `${` among them needs an escape. */
  #plain(text: string, lost: string[]): string | undefined {
    if (!text.includes('${')) return text;
    if (this.#to.escape !== undefined) return text.replaceAll('${', () => this.#to.escape ?? '');
    lost.push(`${this.#to.title} cannot write a \${ that stands for itself.`);
    return undefined;
  }

  /** The nearest that the other dialect has, and what it asks of people. */
  #substitute(reference: Reference): readonly [string | undefined, string] {
    if (reference.kind === 'separator') return ['/', 'it is the separator of one system'];
    if (reference.kind === 'folder')
      return [
        reference.name === 'userHome' ? this.#to.write({ kind: 'env', name: 'HOME' }) : undefined,
        'on Windows, set the variable HOME',
      ];
    if (reference.kind === 'env')
      return [this.#to.write({ kind: 'env', name: reference.name }), 'its default has no place'];
    const name = this.#variableFor(reference);
    const definition = reference.kind === 'input' ? this.#inputs.get(reference.name) : undefined;
    const otherwise = definition?.isSecret === true ? undefined : definition?.default;
    const withDefault =
      typeof otherwise === 'string' && otherwise !== '' && !/[${}]/.test(otherwise)
        ? this.#to.write({ kind: 'env', name, default: otherwise })
        : undefined;
    return [withDefault ?? this.#to.write({ kind: 'env', name }), `set the environment variable ${name}`];
  }

  /** A variable for an input or a secret, which no other one has. */
  #variableFor({ kind, name }: Reference): string {
    const key = `${kind}:${name}`;
    const known = this.#variables.get(key);
    if (known !== undefined) return known;
    const base = name
      .toUpperCase()
      .replaceAll(/\W/g, '_')
      .replace(/^(?=\d)/, '_');
    let free = base;
    for (let number = 2; this.#taken.has(free); number += 1) free = `${base}_${number}`;
    this.#variables.set(key, free);
    this.#taken.add(free);
    return free;
  }
}

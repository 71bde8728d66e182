import type { JsonObject } from '../jsonrpc/message.ts';
import type { Family } from '../revisions/revision.ts';
import { declares, type Extension } from './extension.ts';

/** A side's half of an extension. */
interface Half {
  readonly extension: Extension;
}

const WORDS = ['methods', 'filters', 'results'] as const;

/** The extensions of one side, and the methods, filters and result types that they add. No two of them add the same one. */
export class ExtensionSet<H extends Half = Half> {
  readonly #halves = new Map<string, H>();

  constructor(halves: Iterable<H> = []) {
    for (const half of halves) this.add(half);
  }

  /** Adds an extension. A half of one that is there already replaces the other. */
  add(half: H): void {
    const { extension } = half;
    const { id } = extension;
    if ((this.#halves.get(id)?.extension ?? extension) !== extension)
      throw new TypeError(`Another extension with the id ${id} has been added already.`);
    for (const words of WORDS)
      for (const word of Object.keys(extension[words] ?? {})) {
        const owner = this.owner(words, word)?.extension ?? extension;
        if (owner !== extension) throw new TypeError(`${id} adds "${word}", which belongs to ${owner.id}.`);
      }
    this.#halves.set(id, half);
  }

  get all(): Iterable<H> {
    return this.#halves.values();
  }

  /** The half whose extension adds a method, a filter or a result type. */
  owner(words: (typeof WORDS)[number], word: string): H | undefined {
    for (const half of this.all) if (Object.hasOwn(half.extension[words] ?? {}, word)) return half;
    return undefined;
  }

  /** The half that adds a method, if its extension is for the family. Does not check whether the other side declared the extension. */
  forMethod(method: string, family: Family): H | undefined {
    const half = this.owner('methods', method);
    return half && isFor(half.extension, family) ? half : undefined;
  }

  /** The declared extensions that are for the handshake, and those that are not in this set; `undefined` when there are none. */
  inHandshake({ extensions = {} }: { extensions?: Readonly<Record<string, JsonObject>> }): JsonObject | undefined {
    const known = Object.entries(extensions).filter(([id]) => {
      const half = this.#halves.get(id);
      // One that this library does not know is declared by the program, which negotiates it itself.
      return half === undefined || isFor(half.extension, 'handshake');
    });
    return known.length === 0 ? undefined : Object.fromEntries(known);
  }

  /** The member of the method's params that the `Mcp-Name` header repeats. */
  namedBy(method: string): string | undefined {
    return this.owner('methods', method)?.extension.methods?.[method]?.namedBy;
  }
}

function isFor({ families = ['per-request'] }: Extension, family: Family): boolean {
  return families.includes(family);
}

/** The result types with which this method may be answered: those of the extensions that the request declared. For `readResult` of a revision. */
export function resultTypes(
  { all }: Pick<ExtensionSet, 'all'>,
  method: string,
  declared: { readonly extensions?: object | undefined },
): ReadonlySet<string> {
  const types = new Set<string>();
  for (const { extension } of all)
    for (const [type, answers] of Object.entries(extension.results ?? {}))
      if (answers.includes(method) && declares(declared, extension.id)) types.add(type);
  return types;
}

import type { JsonObject } from '../jsonrpc/message.ts';
import type { Family } from '../revisions/revision.ts';
import { declares, type Extension, type ExtensionMethod, type ListenFilter } from './extension.ts';

export interface FoundMethod {
  readonly extension: Extension;
  readonly info: ExtensionMethod;
}

export interface FoundFilter {
  readonly extension: Extension;
  readonly filter: ListenFilter;
}

const PER_REQUEST: readonly Family[] = ['per-request'];

/** The extensions of one side, and the methods, filters and result types that they add. No two of them add the same one. */
export class ExtensionSet {
  readonly #extensions = new Map<string, Extension>();
  readonly #methods = new Map<string, FoundMethod>();
  readonly #filters = new Map<string, FoundFilter>();
  readonly #results = new Map<string, { readonly extension: Extension }>();

  constructor(extensions: Iterable<Extension> = []) {
    for (const extension of extensions) this.add(extension);
  }

  /** Adds an extension. Adding the same object again changes nothing. */
  add(extension: Extension): void {
    const { id, methods = {}, filters = {}, results = {} } = extension;
    const known = this.#extensions.get(id);
    if (known === extension) return;
    if (known !== undefined) throw new TypeError(`Another extension with the id ${id} has been added already.`);
    refuseTaken(id, this.#methods, methods);
    refuseTaken(id, this.#filters, filters);
    refuseTaken(id, this.#results, results);
    this.#extensions.set(id, extension);
    for (const [method, info] of Object.entries(methods)) this.#methods.set(method, { extension, info });
    for (const [member, filter] of Object.entries(filters)) this.#filters.set(member, { extension, filter });
    for (const type of Object.keys(results)) this.#results.set(type, { extension });
  }

  get all(): Iterable<Extension> {
    return this.#extensions.values();
  }

  has(id: string): boolean {
    return this.#extensions.has(id);
  }

  /** The method, if its extension is for the family. Does not check whether the other side declared the extension. */
  method(method: string, family: Family): FoundMethod | undefined {
    const found = this.#methods.get(method);
    return found !== undefined && (found.extension.families ?? PER_REQUEST).includes(family) ? found : undefined;
  }

  /** The declared extensions that are for the family, and those that are not in this set; `undefined` when there are none. */
  inFamily(
    family: Family,
    declared: Readonly<Record<string, JsonObject>> = {},
  ): Record<string, JsonObject> | undefined {
    const known = Object.entries(declared).filter(([id]) => {
      const extension = this.#extensions.get(id);
      // One that this library does not know is declared by the program, which negotiates it itself.
      return extension === undefined || (extension.families ?? PER_REQUEST).includes(family);
    });
    return known.length === 0 ? undefined : Object.fromEntries(known);
  }

  /** The member of the method's params that the `Mcp-Name` header repeats. */
  namedBy(method: string): string | undefined {
    return this.#methods.get(method)?.info.namedBy;
  }

  filter(member: string): FoundFilter | undefined {
    return this.#filters.get(member);
  }

  get filters(): Iterable<readonly [member: string, found: FoundFilter]> {
    return this.#filters;
  }
}

/** The result types with which this method may be answered: those of the extensions that the request declared. For `readResult` of a revision. */
export function resultTypes(
  { all }: ExtensionSet,
  method: string,
  declared: { readonly extensions?: object | undefined },
): ReadonlySet<string> {
  const types = new Set<string>();
  for (const { id, results = {} } of all)
    for (const [type, answers] of Object.entries(results))
      if (answers.includes(method) && declares(declared, id)) types.add(type);
  return types;
}

function refuseTaken(id: string, taken: ReadonlyMap<string, { extension: Extension }>, added: object): void {
  for (const word of Object.keys(added)) {
    const owner = taken.get(word)?.extension.id;
    if (owner !== undefined) throw new TypeError(`${id} adds "${word}", which belongs to ${owner}.`);
  }
}

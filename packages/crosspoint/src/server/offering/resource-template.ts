import type { Resource } from '../../protocol/resources.ts';
import { UriTemplate } from '../../wire/uri-template.ts';
import { suggestBy, type Completer, type Suggest } from './completable.ts';
import { described } from '../../runtime/described.ts';
import type { ServerContext } from '../calls/context.ts';
import type { Placed } from './pagination.ts';
import type { TemplateConfig } from './registrations.ts';
import type { TemplateEntry } from './registry.ts';
import { compileTemplate, listTemplate, refuseUnsafe } from './template-entries.ts';

/** The variables of a URI by name; a list for a variable that is repeated (`{tags*}`). */
export type Variables = Record<string, string | string[]>;

export type ListResourcesCallback = (
  ctx: ServerContext,
) => { resources: Resource[] } | Promise<{ resources: Resource[] }>;

/** How the resources of a template are listed, and how its variables are completed. */
export interface ResourceTemplateCallbacks {
  /** Lists the resources of the template; `undefined` says that they cannot be listed. */
  list: ListResourcesCallback | undefined;
  /** Suggestions for variables, by name: `{ id: (value) => ids.filter((id) => id.startsWith(value)) }`. */
  complete?: Record<string, Completer>;
}

const EXAMPLE = "new ResourceTemplate('user://{id}', { list: undefined })";

/** Throws for a resource that is registered with neither a URI nor a template. */
export function requireSource(name: unknown, source: unknown): void {
  if (typeof source !== 'string' && !(typeof source === 'object' && source !== null && 'uriTemplate' in source))
    throw new TypeError(
      `The resource "${String(name)}" needs a URI such as 'config://app' or a ResourceTemplate as its second argument, not ${described(source)}: registerResource('config', 'config://app', { description: '…' }, handler).`,
    );
}

/**
 * Resources whose URIs follow a pattern (RFC 6570), for `registerResource`.
 *
 * ```ts
 * new ResourceTemplate('user://{id}', { list: undefined });
 * new ResourceTemplate('file:///logs/{+path}', { list: async () => ({ resources: await listLogs() }) });
 * ```
 */
export class ResourceTemplate {
  /** The parsed template. */
  readonly uriTemplate: UriTemplate;
  /** Lists the resources, as given. */
  readonly listCallback: ListResourcesCallback | undefined;
  readonly #complete: ReadonlyMap<string, Completer>;

  constructor(uriTemplate: string | UriTemplate, callbacks: ResourceTemplateCallbacks) {
    if (typeof uriTemplate !== 'string' && !(typeof uriTemplate === 'object' && uriTemplate !== null))
      throw new TypeError(`A ResourceTemplate needs a URI template, not ${described(uriTemplate)}: ${EXAMPLE}.`);
    if (typeof callbacks !== 'object' || callbacks === null)
      throw new TypeError(
        `The ResourceTemplate "${uriTemplate.toString()}" needs an object with list as its second argument, where undefined says that its resources cannot be listed: ${EXAMPLE}.`,
      );
    this.uriTemplate = typeof uriTemplate === 'string' ? new UriTemplate(uriTemplate) : uriTemplate;
    this.listCallback = callbacks.list;
    this.#complete = new Map(Object.entries(callbacks.complete ?? {}));
    for (const variable of this.#complete.keys()) {
      if (!this.uriTemplate.variableNames.includes(variable))
        throw new TypeError(`The template ${this.uriTemplate.toString()} has no variable "${variable}" to complete.`);
    }
  }

  /** The completer of a variable, as given. */
  completeCallback(variable: string): Completer | undefined {
    return this.#complete.get(variable);
  }

  /** @internal */
  suggest(variable: string): Suggest | undefined {
    const completer = this.#complete.get(variable);
    return completer && suggestBy(completer);
  }

  /** @internal */
  compile(...[name, config, from]: [string, TemplateConfig, Parameters<typeof compileTemplate>[3]]): TemplateEntry {
    return compileTemplate(name, this, config, from);
  }

  /** @internal */
  listed(entry: TemplateEntry, ctx: ServerContext): Promise<Placed<Resource>[]> {
    return listTemplate(entry, ctx);
  }

  /** @internal */
  refuseUnsafe(uri: string, variables: Variables): void {
    refuseUnsafe(uri, this, variables);
  }

  /** Whether any variable can be completed. */
  get completes(): boolean {
    return this.#complete.size > 0;
  }
}

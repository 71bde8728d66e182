import type { Resource } from '../../protocol/resources.ts';
import { UriTemplate } from '../../wire/uri-template.ts';
import type { Completer } from './completable.ts';
import type { ServerContext } from '../calls/context.ts';

export type Variables = Record<string, string | string[]>;

export type ListResourcesCallback = (
  ctx: ServerContext,
) => { resources: Resource[] } | Promise<{ resources: Resource[] }>;

export interface ResourceTemplateCallbacks {
  /** Lists the resources of the template; `undefined` says that they cannot be listed. */
  list: ListResourcesCallback | undefined;
  complete?: Record<string, Completer>;
}

/** Resources whose URIs follow a pattern (RFC 6570). */
export class ResourceTemplate {
  readonly uriTemplate: UriTemplate;
  readonly listCallback: ListResourcesCallback | undefined;
  readonly #complete: ReadonlyMap<string, Completer>;

  constructor(uriTemplate: string | UriTemplate, callbacks: ResourceTemplateCallbacks) {
    this.uriTemplate = typeof uriTemplate === 'string' ? new UriTemplate(uriTemplate) : uriTemplate;
    this.listCallback = callbacks.list;
    this.#complete = new Map(Object.entries(callbacks.complete ?? {}));
    for (const variable of this.#complete.keys()) {
      if (!this.uriTemplate.variableNames.includes(variable))
        throw new TypeError(`The template ${this.uriTemplate.toString()} has no variable "${variable}" to complete.`);
    }
  }

  completeCallback(variable: string): Completer | undefined {
    return this.#complete.get(variable);
  }

  get completes(): boolean {
    return this.#complete.size > 0;
  }
}

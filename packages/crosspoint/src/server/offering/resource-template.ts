import type { Resource } from '../../protocol/resources.ts';
import { UriTemplate } from '../../wire/uri-template.ts';
import type { Completer } from './completable.ts';
import { described } from '../../runtime/described.ts';
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

const EXAMPLE = "new ResourceTemplate('user://{id}', { list: undefined })";

/** Throws for a resource that is registered with neither a URI nor a template. */
export function requireSource(name: unknown, source: unknown): void {
  if (typeof source !== 'string' && !(typeof source === 'object' && source !== null && 'uriTemplate' in source))
    throw new TypeError(
      `The resource "${String(name)}" needs a URI such as 'config://app' or a ResourceTemplate as its second argument, not ${described(source)}: registerResource('config', 'config://app', { description: '…' }, handler).`,
    );
}

/** Resources whose URIs follow a pattern (RFC 6570). */
export class ResourceTemplate {
  readonly uriTemplate: UriTemplate;
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

  completeCallback(variable: string): Completer | undefined {
    return this.#complete.get(variable);
  }

  get completes(): boolean {
    return this.#complete.size > 0;
  }
}

import type { Icon, Prompt, Resource, Tool } from 'crosspoint/client';

/** A resource template, as `resources/templates/list` gives it. */
export interface ListedTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly icons?: readonly Icon[];
}

/** Everything one server offers at one moment: every page of every list. */
export interface Listing {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ListedTemplate[];
  readonly instructions?: string;
}

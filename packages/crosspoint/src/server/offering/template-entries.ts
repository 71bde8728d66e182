import { ProtocolError } from '../../protocol/errors.ts';
import type { Resource, ResourceTemplateDefinition } from '../../protocol/resources.ts';
import { findUnsafeVariable } from '../../wire/safe-variables.ts';
import type { ServerContext } from '../calls/context.ts';
import { entryOf, present, refuseFaults, type Placement } from './compile-entries.ts';
import type { Placed } from './pagination.ts';
import type { TemplateEntry } from './registry.ts';
import type { ReadResourceTemplateCallback, TemplateConfig } from './registrations.ts';
import type { ResourceTemplate, Variables } from './resource-template.ts';

/*
 * Work of servers that a `ResourceTemplate` brings, so that servers without one do not carry it.
 */

export function compileTemplate(
  name: string,
  template: ResourceTemplate,
  config: TemplateConfig,
  from: { callback: ReadResourceTemplateCallback; placement: Placement },
): TemplateEntry {
  const uriTemplate = template.uriTemplate.toString();
  if (config.acceptInvalidUri !== true && !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uriTemplate))
    throw new TypeError(`The template of ${name} needs a scheme (RFC 3986); this is "${uriTemplate}".`);
  refuseFaults(name, config);
  const definition: ResourceTemplateDefinition = {
    uriTemplate,
    name,
    ...present(config, ['title', 'description', 'mimeType', 'icons', 'annotations', '_meta']),
  };
  return {
    ...entryOf(from.placement, config),
    definition,
    template,
    hints: config.cache,
    acceptsUnsafeVariables: config.acceptUnsafeVariables === true,
    read: from.callback,
  };
}

/** The resources that a template lists. */
export async function listTemplate(entry: TemplateEntry, ctx: ServerContext): Promise<Placed<Resource>[]> {
  const result = await entry.template.listCallback?.(ctx);
  const { name: _name, uriTemplate: _template, ...inherited } = entry.definition;
  return (result?.resources ?? []).map((resource: Resource, index) => ({
    position: [1, entry.order, index],
    value: { ...inherited, ...resource },
  }));
}

/** Throws for values that must not reach a file system or another URI. */
export function refuseUnsafe(uri: string, { uriTemplate }: ResourceTemplate, variables: Variables): void {
  const unsafe = findUnsafeVariable(uriTemplate, variables);
  if (unsafe !== undefined)
    throw new ProtocolError('invalid-params', `The variable ${unsafe.name} of the URI is refused: ${unsafe.reason}.`, {
      uri,
    });
}

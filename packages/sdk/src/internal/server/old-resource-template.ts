import { ResourceTemplate as NewResourceTemplate } from 'crosspoint/server';
import type { RequestHandlerExtra } from '../shared/protocol-options.ts';
import type { ServerNotification, ServerRequest } from '../types/messages.ts';
import { UriTemplate } from '../../shared/uriTemplate.ts';

type Given = ConstructorParameters<typeof NewResourceTemplate>;
type List = NonNullable<NewResourceTemplate['listCallback']>;

/** Resources whose URIs follow a template of v1. */
export class ResourceTemplate extends NewResourceTemplate {
  declare readonly listCallback:
    | ((extra: RequestHandlerExtra<ServerRequest, ServerNotification>) => ReturnType<List>)
    | undefined;

  constructor(uriTemplate: Given[0], callbacks: Given[1]) {
    const template = typeof uriTemplate === 'string' ? new UriTemplate(uriTemplate) : uriTemplate;
    const { list, complete = {} } = callbacks;
    // v1 takes completions of variables that the template does not have; nobody can ask for one.
    const known = Object.entries(complete).filter(([variable]) => template.variableNames.includes(variable));
    super(template, { list, complete: Object.fromEntries(known) });
  }
}

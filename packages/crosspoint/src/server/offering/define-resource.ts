import type { ReadResourceResult } from '../../protocol/resources.ts';
import type { InputRequired } from '../asking/input-required.ts';
import type { ServerContext } from '../calls/context.ts';
import type { McpServer } from '../mcp-server.ts';
import type {
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  RegisteredResource,
  RegisteredResourceTemplate,
  ResourceConfig,
  TemplateConfig,
} from './registrations.ts';
import { ResourceTemplate, type ResourceTemplateCallbacks } from './resource-template.ts';
import type { TemplateVariables, UriPattern } from './uri-pattern.ts';

/** A resource that belongs to no server yet, or all resources of a template. Its type knows the URIs. */
export interface ResourceDefinition<Uri extends string = string> {
  readonly name: string;
  /** As given: a URI or a URI template. */
  readonly uri: string;
  register(server: Pick<McpServer, 'registerResource'>): RegisteredResource | RegisteredResourceTemplate;
  /** Never present at run time. */
  readonly '~uris'?: Uri | undefined;
}

/** A URI template (RFC 6570), how its resources are listed, and how its variables are completed. */
export interface TemplateSource<Template extends string> extends Partial<ResourceTemplateCallbacks> {
  uriTemplate: Template;
}

type DefinedTemplateCallback<Template extends string> = (
  uri: URL,
  variables: TemplateVariables<Template>,
  ctx: ServerContext,
) => ReadResourceResult | InputRequired | undefined | Promise<ReadResourceResult | InputRequired | undefined>;

/** Defines a resource for `defineServer`, or for `register` on any server. */
export function defineResource<const Uri extends string>(
  name: string,
  uri: Uri,
  config: ResourceConfig,
  callback: ReadResourceCallback,
): ResourceDefinition<Uri>;
export function defineResource<const Template extends string>(
  name: string,
  template: TemplateSource<Template>,
  config: TemplateConfig,
  callback: DefinedTemplateCallback<Template>,
): ResourceDefinition<UriPattern<Template>>;
export function defineResource(
  name: string,
  source: string | TemplateSource<string>,
  config: ResourceConfig & TemplateConfig,
  callback: ReadResourceCallback | DefinedTemplateCallback<string>,
): ResourceDefinition {
  if (typeof source === 'string') {
    const read = callback as ReadResourceCallback;
    return { name, uri: source, register: (server) => server.registerResource(name, source, config, read) };
  }
  const { uriTemplate, list, complete } = source;
  const template = new ResourceTemplate(uriTemplate, { list, ...(complete && { complete }) });
  const read = callback as ReadResourceTemplateCallback;
  return { name, uri: uriTemplate, register: (server) => server.registerResource(name, template, config, read) };
}

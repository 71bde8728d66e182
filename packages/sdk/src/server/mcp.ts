import {
  McpServer as NewMcpServer,
  ResourceTemplate,
  type ListResourcesCallback,
  type McpServerOptions as NewMcpServerOptions,
  type PromptCallback,
  type ReadResourceCallback,
  type ReadResourceTemplateCallback,
  type RegisteredPrompt,
  type RegisteredResource,
  type RegisteredResourceTemplate,
  type RegisteredTool,
  type ResourceMetadata,
  type ToolCallback,
} from 'crosspoint/server';
import type { Implementation, ToolAnnotations } from 'crosspoint';
import type { RawShape } from 'crosspoint/schema';
import type { ServerOptions } from './index.ts';
import { limitInputElements } from '../internal/server/input-elements.ts';
import { readOldToolArguments } from '../internal/server/old-tool-arguments.ts';

export type { AnyToolHandler, BaseToolCallback, CompleteResourceTemplateCallback } from 'crosspoint/server';
export { ResourceTemplate };
export type {
  ListResourcesCallback,
  PromptCallback,
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  RegisteredPrompt,
  RegisteredResource,
  RegisteredResourceTemplate,
  RegisteredTool,
  ResourceMetadata,
  ToolCallback,
};

export type McpServerOptions = NewMcpServerOptions &
  ServerOptions & {
    /** Most elements and members in the arguments of one call, at all depths; unlimited when absent. */
    maxToolInputElements?: number;
  };

/** A server with tools, resources and prompts, which can also be registered in the oldest way. */
export class McpServer extends NewMcpServer {
  constructor(serverInfo: Implementation, { maxToolInputElements, ...options }: McpServerOptions = {}) {
    super(serverInfo, options);
    if (maxToolInputElements !== undefined) this.use(limitInputElements(maxToolInputElements));
  }

  /** @deprecated Use `registerTool`. */
  tool(name: string, callback: ToolCallback): RegisteredTool;
  /** @deprecated Use `registerTool`. */
  tool(name: string, description: string, callback: ToolCallback): RegisteredTool;
  /** @deprecated Use `registerTool`. */
  tool<Args extends RawShape>(
    name: string,
    paramsSchemaOrAnnotations: Args | ToolAnnotations,
    callback: ToolCallback<Args>,
  ): RegisteredTool;
  /** @deprecated Use `registerTool`. */
  tool<Args extends RawShape>(
    name: string,
    description: string,
    paramsSchemaOrAnnotations: Args | ToolAnnotations,
    callback: ToolCallback<Args>,
  ): RegisteredTool;
  /** @deprecated Use `registerTool`. */
  tool<Args extends RawShape>(
    name: string,
    paramsSchema: Args,
    annotations: ToolAnnotations,
    callback: ToolCallback<Args>,
  ): RegisteredTool;
  /** @deprecated Use `registerTool`. */
  // oxlint-disable-next-line max-params -- the shape is given
  tool<Args extends RawShape>(
    name: string,
    description: string,
    paramsSchema: Args,
    annotations: ToolAnnotations,
    callback: ToolCallback<Args>,
  ): RegisteredTool;
  tool(name: string, ...given: unknown[]): RegisteredTool {
    const { config, callback } = readOldToolArguments(name, given);
    return this.registerTool(name, config, callback);
  }

  /** @deprecated Use `registerPrompt`. */
  prompt(name: string, callback: PromptCallback): RegisteredPrompt;
  /** @deprecated Use `registerPrompt`. */
  prompt(name: string, description: string, callback: PromptCallback): RegisteredPrompt;
  /** @deprecated Use `registerPrompt`. */
  prompt<Args extends RawShape>(name: string, argsSchema: Args, callback: PromptCallback<Args>): RegisteredPrompt;
  /** @deprecated Use `registerPrompt`. */
  prompt<Args extends RawShape>(
    name: string,
    description: string,
    argsSchema: Args,
    callback: PromptCallback<Args>,
  ): RegisteredPrompt;
  prompt(name: string, ...given: unknown[]): RegisteredPrompt {
    const description = typeof given[0] === 'string' ? given.shift() : undefined;
    const argsSchema = given.length > 1 ? given.shift() : undefined;
    const config = {
      ...(description !== undefined && { description }),
      ...(argsSchema !== undefined && { argsSchema }),
    };
    return this.registerPrompt(name, config as object, given[0] as PromptCallback);
  }

  /** @deprecated Use `registerResource`. */
  resource(name: string, uri: string, readCallback: ReadResourceCallback): RegisteredResource;
  /** @deprecated Use `registerResource`. */
  resource(
    name: string,
    uri: string,
    metadata: ResourceMetadata,
    readCallback: ReadResourceCallback,
  ): RegisteredResource;
  /** @deprecated Use `registerResource`. */
  resource(
    name: string,
    template: ResourceTemplate,
    readCallback: ReadResourceTemplateCallback,
  ): RegisteredResourceTemplate;
  /** @deprecated Use `registerResource`. */
  resource(
    name: string,
    template: ResourceTemplate,
    metadata: ResourceMetadata,
    readCallback: ReadResourceTemplateCallback,
  ): RegisteredResourceTemplate;
  resource(
    name: string,
    uriOrTemplate: string | ResourceTemplate,
    ...given: unknown[]
  ): RegisteredResource | RegisteredResourceTemplate {
    const metadata = (given.length > 1 ? given.shift() : {}) as ResourceMetadata;
    return typeof uriOrTemplate === 'string'
      ? this.registerResource(name, uriOrTemplate, metadata, given[0] as ReadResourceCallback)
      : this.registerResource(name, uriOrTemplate, metadata, given[0] as ReadResourceTemplateCallback);
  }
}

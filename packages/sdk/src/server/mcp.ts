import {
  McpServer as NewMcpServer,
  type ListResourcesCallback,
  type McpServerOptions as NewMcpServerOptions,
  type PromptCallback,
  type ReadResourceCallback,
  type ReadResourceTemplateCallback,
  type ResourceMetadata,
  type ToolCallback,
  type ToolConfig,
} from 'crosspoint/server';
import type { Implementation, ToolAnnotations } from 'crosspoint';
import type { AnySchema, RawShape } from 'crosspoint/schema';
import type { TaskOptions } from 'crosspoint/server/tasks';
import { validateAndWarnToolName } from '../shared/toolNameValidation.ts';
import { Server, type ServerOptions } from './index.ts';
import { limitInputElements } from '../internal/server/input-elements.ts';
import { OldAnswers, type Answer } from '../internal/server/old-answers.ts';
import { registerOldPrompt, type OldPrompt as RegisteredPrompt } from '../internal/server/old-prompts.ts';
import { ResourceTemplate } from '../internal/server/old-resource-template.ts';
import {
  asOldResource,
  type OldResource as RegisteredResource,
  type OldTemplate as RegisteredResourceTemplate,
} from '../internal/server/old-resources.ts';
import { registerOldTool, type OldTool as RegisteredTool } from '../internal/server/old-tools.ts';
import { readOldToolArguments } from '../internal/server/old-tool-arguments.ts';
import { ExperimentalMcpServerTasks } from '../internal/tasks/mcp-server-tasks.ts';
import type { StoredTasks } from '../internal/tasks/stored-tasks.ts';
import { TaskSetup } from '../internal/tasks/task-setup.ts';
import type { ToolTaskHandler } from '../internal/tasks/task-store.ts';

export type { BaseToolCallback, CompleteResourceTemplateCallback } from 'crosspoint/server';
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
    /** How calls that run as tasks are kept; for tools that may. */
    tasks?: TaskOptions;
    /** How many elements and members the arguments of one call may hold, at every depth; any number when absent. */
    maxToolInputElements?: number;
  };

/** A tool's function, or the functions of one that makes its tasks itself. */
export type AnyToolHandler<Args extends AnySchema | undefined = undefined> = ToolCallback<Args> | ToolTaskHandler<Args>;

/** v1 lists any URI as it is, and gives variables as they are in a URI, where a separator that is encoded does no harm. */
const LENIENT = { acceptInvalidUri: true, acceptUnsafeVariables: true } as const;

/** A server with tools, resources and prompts, which can also be registered in the oldest way. */
export class McpServer extends NewMcpServer {
  readonly #tasks: TaskSetup;
  readonly #answers: OldAnswers = new OldAnswers();

  constructor(serverInfo: Implementation, { maxToolInputElements, ...options }: McpServerOptions = {}) {
    const { taskStore, ...rest } = options;
    // Names of tools are warned about here, in the words of v1.
    super(serverInfo, { onwarning: () => {}, rankCompletions: false, ...rest, ...declaringChanges(options) });
    this.#tasks = new TaskSetup(this, options, (error) => this.server.onerror?.(error));
    if (taskStore !== undefined) this.#stored();
    if (maxToolInputElements !== undefined) this.use(limitInputElements(maxToolInputElements));
  }

  protected override createServer(info: Implementation, options: ServerOptions): Server {
    return new Server(info, options);
  }

  protected override handlerOf(method: string, answer: Answer): Answer {
    // The constructor of the base class may call it before this one has members.
    let handler: Answer | undefined;
    return (request, ctx) => (handler ??= this.#answers.around(method, answer))(request, ctx);
  }

  override get server(): Server {
    return super.server as Server;
  }

  get experimental(): { readonly tasks: ExperimentalMcpServerTasks } {
    return {
      tasks: new ExperimentalMcpServerTasks(
        (name, config, callback) => this.registerTool(name, config, callback),
        () => this.#stored(),
      ),
    };
  }

  #stored(): StoredTasks {
    const stored = this.#tasks.stored();
    this.server.keepTasks(stored);
    return stored;
  }

  override registerTool<In extends object | undefined = undefined>(
    name: string,
    config: ToolConfig<In, object | undefined>,
    callback: ToolCallback<In>,
  ): RegisteredTool {
    const given = config as ToolConfig<AnySchema | undefined, AnySchema | undefined>;
    return this.#answers.tools.add(name, () =>
      registerOldTool(given, callback, (listed, run) => {
        validateAndWarnToolName(name);
        return super.registerTool(name, listed as ToolConfig<AnySchema, AnySchema>, run);
      }),
    );
  }

  override registerResource(
    name: string,
    uri: string,
    config: ResourceMetadata,
    readCallback: ReadResourceCallback,
  ): RegisteredResource;
  override registerResource(
    name: string,
    template: ResourceTemplate,
    config: ResourceMetadata,
    readCallback: ReadResourceTemplateCallback,
  ): RegisteredResourceTemplate;
  override registerResource(
    name: string,
    uriOrTemplate: string | ResourceTemplate,
    config: ResourceMetadata,
    readCallback: ReadResourceCallback | ReadResourceTemplateCallback,
  ): RegisteredResource | RegisteredResourceTemplate {
    const { resources, templates } = this.#answers;
    const details = { ...config, ...LENIENT };
    if (typeof uriOrTemplate === 'string') {
      const read = readCallback as ReadResourceCallback;
      return resources.add(uriOrTemplate, () =>
        asOldResource<RegisteredResource>(super.registerResource(name, uriOrTemplate, details, read), config, read),
      );
    }
    const read = readCallback as ReadResourceTemplateCallback;
    return templates.add(name, () =>
      asOldResource<RegisteredResourceTemplate>(
        super.registerResource(name, uriOrTemplate, details, read),
        config,
        read,
      ),
    );
  }

  override registerPrompt<Args extends object | undefined = undefined>(
    name: string,
    config: Omit<Parameters<NewMcpServer['registerPrompt']>[1], 'argsSchema'> & { argsSchema?: Args },
    callback: PromptCallback<Args>,
  ): RegisteredPrompt {
    return this.#answers.prompts.add(name, () =>
      registerOldPrompt(config as { argsSchema?: AnySchema }, callback, (listed, run) =>
        super.registerPrompt<AnySchema | undefined>(name, listed, run),
      ),
    );
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

/** v1 tells the changes of every list that it has, whatever the program declared. */
function declaringChanges({ capabilities }: McpServerOptions): Pick<McpServerOptions, 'capabilities'> {
  if (capabilities === undefined) return {};
  const { tools, resources, prompts } = capabilities;
  return {
    capabilities: {
      ...capabilities,
      ...(tools && { tools: { ...tools, listChanged: true } }),
      ...(resources && { resources: { ...resources, listChanged: true } }),
      ...(prompts && { prompts: { ...prompts, listChanged: true } }),
    },
  };
}

import { atOnce, isJsonObject, type Revision } from 'crosspoint/internal';
import type { JsonObject, ReadResourceResult, ServerContext, Tool } from 'crosspoint';
import type { AnySchema } from 'crosspoint/schema';
import { appsExtension, RESOURCE_MIME_TYPE, RESOURCE_URI_META_KEY, showsApps } from '../extension/apps-extension.ts';
import { isUiUri, uiOfTool, uiToolFault, type UiToolMeta } from '../extension/ui-tool.ts';
import { documentFault, uiResourceFault, type UiResourceMeta } from '../extension/ui-resource.ts';
import {
  InputRequired,
  type Caller,
  type McpServer,
  type ReadResourceCallback,
  type RegisteredResource,
  type RegisteredTool,
  type ResourceMetadata as ResourceConfig,
  type ToolCallback,
  type ToolConfig,
} from 'crosspoint/server';

export interface AppToolConfig<
  In extends AnySchema | undefined = undefined,
  Out extends AnySchema | undefined = undefined,
> extends Omit<ToolConfig<In, Out>, '_meta'> {
  _meta: JsonObject & ({ ui: UiToolMeta } | { [RESOURCE_URI_META_KEY]?: string });
}

export interface AppResourceConfig extends Omit<ResourceConfig, '_meta'> {
  _meta?: JsonObject & { ui?: UiResourceMeta };
}

/** The app tools and documents of one server. */
class ServerApps {
  readonly documents = new Set<string>();
  /** Names of the tools registered with `registerAppTool`. Other tools may name a document that a template serves. */
  readonly tools = new Set<string>();
  readonly #told = new Set<string>();

  /** The list of tools for one caller: without apps metadata for a client that has no apps, and without links to missing documents for all. */
  listFor(ctx: ServerContext, tools: readonly Tool[]): Tool[] {
    const mayShow = mayShowApps(ctx) && hasToolMeta(ctx.revision);
    // A client that cannot be told a tool's visibility would show it to its model.
    const shown = mayShow ? tools : tools.filter((tool) => uiOfTool(tool).visibility.includes('model'));
    return shown.map((tool) => {
      const { resourceUri } = uiOfTool(tool);
      const isLost = resourceUri !== undefined && this.tools.has(tool.name) && !this.documents.has(resourceUri);
      if (isLost) this.#warn(tool.name, resourceUri);
      return mayShow && !isLost ? tool : withoutUi(tool);
    });
  }

  #warn(name: string, uri: string): void {
    if (this.#told.has(uri)) return;
    this.#told.add(uri);
    console.warn(
      `The tool "${name}" names the document ${uri}, which is not registered: add it with registerAppResource.`,
    );
  }
}

const known = new WeakMap<McpServer, ServerApps>();

/** The apps of a server. The first call declares the extension. */
function appsOf(server: McpServer): ServerApps {
  const found = known.get(server);
  if (found) return found;
  const apps = new ServerApps();
  known.set(server, apps);
  server.use({ extension: appsExtension });
  server.use(async ({ method, context }, next) => {
    const outcome = await next();
    if (method !== 'tools/list' || context === undefined || outcome.kind !== 'complete') return outcome;
    const { result } = outcome;
    const tools = apps.listFor(context, result['tools'] as Tool[]);
    // A list that depends on the client must not be in a shared cache.
    return { ...outcome, result: { ...result, tools, ...('cacheScope' in result && { cacheScope: 'private' }) } };
  });
  return apps;
}

/**
 * Registers a tool whose results a host can show in a document. A client without apps gets the same tool without the metadata, so the content must
 * be enough for both. A tool that is for documents alone does not exist for such a client.
 */
export function registerAppTool<
  In extends AnySchema | undefined = undefined,
  Out extends AnySchema | undefined = undefined,
>(server: McpServer, name: string, config: AppToolConfig<In, Out>, callback: ToolCallback<In, Out>): RegisteredTool {
  const meta: JsonObject = config._meta;
  const older = meta[RESOURCE_URI_META_KEY];
  const given = isJsonObject(meta['ui']) || older === undefined ? meta['ui'] : {};
  const ui = isJsonObject(given) && older !== undefined ? { resourceUri: older, ...given } : given;
  const fault = uiToolFault(ui);
  if (fault !== undefined) throw new TypeError(`The tool "${name}": ${fault}.`);
  const { resourceUri, visibility = ['model', 'app'] } = ui as UiToolMeta;
  appsOf(server).tools.add(name);
  const isForAppsAlone = !visibility.includes('model');
  const { visible } = config;
  const run = callback as (...args: unknown[]) => unknown;
  const checked = async (...args: unknown[]): Promise<unknown> => withContent(name, await run(...args));
  return server.registerTool(
    name,
    {
      ...config,
      ...(isForAppsAlone && {
        visible: (caller: Caller) => mayShowApps(caller) && atOnce(visible?.(caller), 'visible') !== false,
      }),
      _meta: { ...meta, ui, ...(resourceUri !== undefined && { [RESOURCE_URI_META_KEY]: resourceUri }) },
    },
    checked as ToolCallback<In, Out>,
  );
}

/**
 * Registers a document that tools can name. `document` is its HTML, or a function that makes it for each read. Its URI begins with `ui://`; its type
 * is `RESOURCE_MIME_TYPE`. `_meta.ui` appears in the list and, unless the document has its own, in the contents.
 */
// oxlint-disable-next-line eslint/max-params -- the signature of the official package
export function registerAppResource(
  server: McpServer,
  name: string,
  uri: string,
  config: AppResourceConfig,
  document: string | ReadResourceCallback,
): RegisteredResource {
  if (!isUiUri(uri)) throw new TypeError(`The document "${name}" needs a URI that begins with ui://; it is "${uri}".`);
  const { mimeType = RESOURCE_MIME_TYPE, _meta } = config;
  const fault =
    (_meta?.ui === undefined ? undefined : uiResourceFault(_meta.ui)) ??
    (typeof document === 'string' ? documentFault({ mimeType, text: document }) : undefined) ??
    (mimeType === RESOURCE_MIME_TYPE ? undefined : `its type must be ${RESOURCE_MIME_TYPE}`);
  if (fault !== undefined) throw new TypeError(`The document ${uri}: ${fault}.`);
  const read: ReadResourceCallback =
    typeof document === 'string' ? () => ({ contents: [{ uri, mimeType, text: document }] }) : document;
  appsOf(server).documents.add(uri);
  return server.registerResource(name, uri, { ...config, mimeType }, async (url, ctx: ServerContext) => {
    const result = await read(url, ctx);
    return result === undefined || result instanceof InputRequired ? result : withUi(uri, result, _meta?.ui);
  });
}

/** Checks every item, and adds the document's `_meta.ui`. */
function withUi(uri: string, result: ReadResourceResult, ui: UiResourceMeta | undefined): ReadResourceResult {
  const contents = result.contents.map((item) => {
    const own = item._meta?.['ui'];
    const fault = documentFault(item) ?? (own === undefined ? undefined : uiResourceFault(own));
    if (fault !== undefined) throw new TypeError(`The document ${uri}: ${fault}.`);
    return own !== undefined || ui === undefined ? item : { ...item, _meta: { ...item._meta, ui: { ...ui } } };
  });
  return { ...result, contents };
}

/** Whether a client may show apps: true for a client whose handshake is not remembered, and otherwise what it has declared. */
function mayShowApps({ capabilities, client, family }: Caller): boolean {
  const isRemembered = family === 'per-request' || client !== undefined;
  return !isRemembered || showsApps(capabilities);
}

const metaOfTools = new WeakMap<Revision, boolean>();

/** Whether tools of the revision have `_meta`: those of the oldest do not. */
function hasToolMeta(revision: Revision): boolean {
  const found = metaOfTools.get(revision);
  if (found !== undefined) return found;
  const tool = { name: 'x', inputSchema: { type: 'object' }, _meta: { ui: {} } };
  const written = revision.writeResult(
    'tools/list',
    { kind: 'complete', result: { tools: [tool] } },
    { name: '', version: '' },
  );
  const has = (written['tools'] as Tool[])[0]?._meta !== undefined;
  metaOfTools.set(revision, has);
  return has;
}

function withoutUi(tool: Tool): Tool {
  const meta = tool._meta;
  if (meta === undefined || (meta['ui'] === undefined && meta[RESOURCE_URI_META_KEY] === undefined)) return tool;
  const { ui: _ui, [RESOURCE_URI_META_KEY]: _uri, ...rest } = meta;
  const { _meta, ...plain } = tool;
  return Object.keys(rest).length === 0 ? plain : { ...plain, _meta: rest };
}

/** Requires content, or makes it of the structured content: the model, and a host without apps, read nothing else. */
function withContent(name: string, result: unknown): unknown {
  if (!isJsonObject(result) || result instanceof InputRequired) return result;
  const { content, structuredContent } = result;
  if (!Array.isArray(content) || content.length > 0) return result;
  if (structuredContent === undefined)
    throw new TypeError(`The tool "${name}" returned no content. Say in words what its document shows.`);
  const { content: _empty, ...rest } = result;
  return rest;
}

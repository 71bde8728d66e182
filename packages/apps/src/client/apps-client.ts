import { isJsonObject, type CallToolParams } from 'crosspoint/internal';
import type { CallToolResult, JsonObject, Tool } from 'crosspoint';
import { appsExtension, RESOURCE_MIME_TYPE } from '../extension/apps-extension.ts';
import { isUiUri, uiOfTool } from '../extension/ui-tool.ts';
import { CSP_MEMBERS, documentFault, htmlOf, isOrigin, type UiResourceMeta } from '../extension/ui-resource.ts';
import type { TransportClient } from 'crosspoint/client/stdio';
import {
  ProtocolError,
  TransportError,
  type CacheableRequestOptions,
  type CallToolRequestOptions as CallToolOptions,
  type ClientExtension,
} from 'crosspoint/client';

/** The client's half of the extension, for a host that shows documents: `new Client(info, { extensions: [apps] })`. */
export const apps: ClientExtension = Object.freeze({
  extension: appsExtension,
  settings: Object.freeze({ mimeTypes: [RESOURCE_MIME_TYPE] }) as object as JsonObject,
});

/** A document of a server, with its own metadata. */
export interface AppDocument {
  readonly uri: string;
  readonly html: string;
  readonly ui: UiResourceMeta;
}

/** The tools that a model may see. */
export function toolsForModel(tools: readonly Tool[]): Tool[] {
  return tools.filter((tool) => uiOfTool(tool).visibility.includes('model'));
}

/** The tools that a document of the same server may call. */
export function toolsForApp(tools: readonly Tool[]): Tool[] {
  return tools.filter((tool) => uiOfTool(tool).visibility.includes('app'));
}

/**
 * The apps of one server: reads their documents and calls tools for them. Give each document the `AppsClient` of the server it came from
 * and no other, so that it cannot reach the tools of other servers.
 */
export class AppsClient {
  readonly #client: TransportClient;

  constructor(client: TransportClient) {
    this.#client = client;
  }

  /** The document that a tool names; `undefined` for a tool without one. */
  async documentOf(tool: Tool, options?: CacheableRequestOptions): Promise<AppDocument | undefined> {
    const { resourceUri } = uiOfTool(tool);
    return resourceUri === undefined ? undefined : this.readDocument(resourceUri, options);
  }

  /** Reads a document and checks it. Metadata from the list of resources applies where the document itself has none. */
  async readDocument(uri: string, options?: CacheableRequestOptions): Promise<AppDocument> {
    if (!isUiUri(uri)) throw new TypeError(`The URI of a document must begin with ui://, not "${uri}".`);
    const { contents } = await this.#client.readResource({ uri }, options);
    const found = contents.find((item) => item.uri === uri) ?? contents[0];
    const fault = documentFault(found);
    if (found === undefined || fault !== undefined)
      throw new TransportError('invalid-result', `The document ${uri} cannot be shown: ${fault}.`);
    const listed = await this.#listedMeta(uri);
    return { uri, html: htmlOf(found as object as JsonObject) ?? '', ui: readUi({ ...listed, ...uiIn(found._meta) }) };
  }

  /** Calls a tool on behalf of a document. Rejects for tools that are not visible to documents, and for unknown ones. */
  async callTool(params: CallToolParams, options?: CallToolOptions): Promise<CallToolResult> {
    const { tools } = await this.#client.listTools();
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined || !uiOfTool(tool).visibility.includes('app'))
      throw new ProtocolError(
        'invalid-params',
        `The tool "${params.name}" does not exist, or documents may not call it.`,
      );
    return this.#client.callTool(params, options);
  }

  /** Empty when the server does not list the document. */
  async #listedMeta(uri: string): Promise<JsonObject> {
    const { resources } = await this.#client.listResources();
    return uiIn(resources.find((resource) => resource.uri === uri)?._meta);
  }
}

function uiIn(meta: JsonObject | undefined): JsonObject {
  return isJsonObject(meta?.['ui']) ? meta['ui'] : {};
}

/** The valid members of `_meta.ui`. */
function readUi({ csp, permissions, domain, prefersBorder }: JsonObject): UiResourceMeta {
  return {
    ...(isJsonObject(csp) && {
      csp: Object.fromEntries(
        CSP_MEMBERS.flatMap((member) => {
          const origins = csp[member];
          return Array.isArray(origins) ? [[member, origins.filter(isOrigin)]] : [];
        }),
      ),
    }),
    ...(isJsonObject(permissions) && { permissions }),
    ...(typeof domain === 'string' && { domain }),
    ...(typeof prefersBorder === 'boolean' && { prefersBorder }),
  };
}

import { ProtocolError, type ContentBlock } from 'crosspoint/client';
import { uiOfTool } from '@crosspoint/apps/client';
import { asJson, isObject, type Json, type JsonObject } from '../values/json.ts';
import type { DisplayMode, ViewBridgeOptions, ViewChatMessage, ViewInfo, ViewModelContext } from './protocol.ts';

/** The code of the specification for something that was denied or failed. */
const DENIED = -32_000;

const MODES: readonly unknown[] = ['inline', 'fullscreen', 'pip'] satisfies DisplayMode[];
const BLOCKS: readonly unknown[] = [
  'text',
  'image',
  'audio',
  'resource',
  'resource_link',
] satisfies ContentBlock['type'][];

export function isDisplayMode(value: unknown): value is DisplayMode {
  return MODES.includes(value);
}

export function denied(message: string): ProtocolError {
  return new ProtocolError(DENIED, message);
}

export function invalid(message: string): ProtocolError {
  return new ProtocolError('invalid-params', message);
}

/** Reads the params of `ui/initialize`. */
export function readViewInfo({ appInfo, appCapabilities, protocolVersion }: JsonObject): ViewInfo {
  if (!isObject(appInfo) || typeof appInfo['name'] !== 'string' || typeof appInfo['version'] !== 'string')
    throw invalid('appInfo needs a name and a version.');
  if (!isObject(appCapabilities)) throw invalid('appCapabilities must be an object.');
  if (typeof protocolVersion !== 'string') throw invalid('protocolVersion must be a text.');
  const { availableDisplayModes } = appCapabilities;
  if (availableDisplayModes !== undefined && !Array.isArray(availableDisplayModes))
    throw invalid('availableDisplayModes must be a list.');
  return {
    info: { name: appInfo['name'].slice(0, 200), version: appInfo['version'].slice(0, 200) },
    displayModes: availableDisplayModes?.filter(isDisplayMode),
    capabilities: appCapabilities,
  };
}

type Request = (
  options: ViewBridgeOptions,
  params: JsonObject,
  during: { readonly signal: AbortSignal },
) => Promise<JsonObject>;

/** The requests that are answered by the callbacks of the host alone. A callback that is absent makes its method unknown. */
export const REQUESTS: ReadonlyMap<string, Request> = new Map<string, Request>([
  ['tools/call', callTool],
  ['resources/read', readResource],
  ['ui/open-link', openLink],
  ['ui/message', addMessage],
]);

async function callTool(
  options: ViewBridgeOptions,
  params: JsonObject,
  during: { signal: AbortSignal },
): Promise<JsonObject> {
  if (options.tools === undefined || options.callTool === undefined) throw unknownMethod('tools/call');
  const { name, arguments: given = {} } = params;
  if (typeof name !== 'string' || !isObject(given))
    throw invalid('tools/call needs a name, and arguments that are an object.');
  const tool = (await options.tools()).find((one) => one.name === name);
  // One answer for both: a view learns nothing of tools that are not for it.
  if (tool === undefined || !uiOfTool(tool).visibility.includes('app'))
    throw invalid('The tool does not exist on the server of this view, or views may not call it.');
  return asJson(await options.callTool({ name, arguments: given }, during));
}

async function readResource(
  options: ViewBridgeOptions,
  { uri }: JsonObject,
  during: { signal: AbortSignal },
): Promise<JsonObject> {
  if (options.readResource === undefined) throw unknownMethod('resources/read');
  if (typeof uri !== 'string') throw invalid('resources/read needs a uri.');
  return asJson(await options.readResource({ uri }, during));
}

async function openLink(
  options: ViewBridgeOptions,
  { url }: JsonObject,
  during: { signal: AbortSignal },
): Promise<JsonObject> {
  if (options.open === undefined) throw unknownMethod('ui/open-link');
  if (typeof url !== 'string' || url.length > 8192 || !URL.canParse(url)) throw denied('Invalid URL');
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw denied('Policy violation: only web pages are opened');
  if (!(await options.open(href, during))) throw denied('Link opening denied by user');
  return {};
}

async function addMessage(
  options: ViewBridgeOptions,
  params: JsonObject,
  during: { signal: AbortSignal },
): Promise<JsonObject> {
  if (options.message === undefined) throw unknownMethod('ui/message');
  if (!(await options.message(readChatMessage(params), during))) throw denied('Message sending denied');
  return {};
}

/** One block, as the specification has it, or a list, as the official package sends it. */
function readChatMessage({ role, content }: JsonObject): ViewChatMessage {
  const blocks = readBlocks(Array.isArray(content) ? content : [content ?? null]);
  if (role !== 'user' || blocks === undefined || blocks.length === 0)
    throw invalid('Invalid message format: role "user" and content blocks are needed.');
  return { role, content: blocks };
}

export function readModelContext({ content, structuredContent }: JsonObject): ViewModelContext {
  const blocks = content === undefined ? undefined : Array.isArray(content) ? readBlocks(content) : undefined;
  if (
    (content !== undefined && blocks === undefined) ||
    (structuredContent !== undefined && !isObject(structuredContent))
  )
    throw invalid('Invalid content format: content is a list of blocks, structuredContent an object.');
  return {
    ...(blocks !== undefined && { content: blocks }),
    ...(structuredContent !== undefined && { structuredContent }),
  };
}

function readBlocks(blocks: readonly Json[]): readonly ContentBlock[] | undefined {
  const isBlock = (block: Json): boolean =>
    isObject(block) &&
    BLOCKS.includes(block['type']) &&
    (block['type'] !== 'text' || typeof block['text'] === 'string');
  return blocks.every(isBlock) ? (blocks as readonly object[] as readonly ContentBlock[]) : undefined;
}

export function unknownMethod(method: string): ProtocolError {
  return new ProtocolError('method-not-found', `Method not found: ${method}`);
}

import type { CallToolResult, ContentBlock, Implementation, ReadResourceResult, Tool } from 'crosspoint/client';
import type { UiResourceMeta } from '@crosspoint/apps/client';
import type { AuditWriter } from '../audit/event.ts';
import type { Json, JsonObject } from '../values/json.ts';

/** The version of the MCP Apps protocol that the bridge speaks. */
export const APPS_PROTOCOL_VERSION = '2026-01-26';

export type DisplayMode = 'inline' | 'fullscreen' | 'pip';

/** The surroundings of a view, as the host tells it. Further members of the specification may be given. */
export interface HostContext {
  readonly toolInfo?: { readonly id?: string | number; readonly tool: Tool };
  readonly theme?: 'light' | 'dark';
  readonly styles?: JsonObject;
  readonly displayMode?: DisplayMode;
  /** The modes that the host has; `inline` alone when absent. */
  readonly availableDisplayModes?: readonly DisplayMode[];
  readonly containerDimensions?: {
    readonly width?: number;
    readonly maxWidth?: number;
    readonly height?: number;
    readonly maxHeight?: number;
  };
  readonly locale?: string;
  readonly timeZone?: string;
  readonly userAgent?: string;
  readonly platform?: 'web' | 'desktop' | 'mobile';
  readonly deviceCapabilities?: { readonly touch?: boolean; readonly hover?: boolean };
  readonly safeAreaInsets?: {
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
    readonly left: number;
  };
}

/** A view's own account of itself, from `ui/initialize`. */
export interface ViewInfo {
  readonly info: Implementation;
  /** The modes that it declared; `undefined` when it declared none, which allows all. */
  readonly displayModes: readonly DisplayMode[] | undefined;
  readonly capabilities: JsonObject;
}

/** A message of a view for the conversation. */
export interface ViewChatMessage {
  readonly role: 'user';
  readonly content: readonly ContentBlock[];
}

/** Words of a view for the model, used in the turns that follow. Each takes the place of the one before. */
export interface ViewModelContext {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: JsonObject;
}

export interface ViewLog {
  readonly level: string;
  readonly logger?: string;
  readonly data: Json;
}

interface During {
  /** Aborted when the view cancels its request, and when the bridge closes. */
  readonly signal: AbortSignal;
}

type Verdict = boolean | Promise<boolean>;

/** A view's surroundings and powers. Everything that is absent is refused to the view, and not declared to it. */
export interface ViewBridgeOptions {
  /** The name of the server whose document is shown. */
  readonly server: string;
  readonly hostInfo: Implementation;
  readonly hostContext?: HostContext;
  /** Sends a message to the view, or to its sandbox proxy. */
  readonly send: (message: JsonObject) => void;
  /** Every tool of this server, and of no other: the view can call those whose visibility includes `app`. */
  readonly tools?: () => readonly Tool[] | Promise<readonly Tool[]>;
  /** Calls a tool of this server for the view, with the consent that the host asks for. */
  readonly callTool?: (
    params: { readonly name: string; readonly arguments: JsonObject },
    during: During,
  ) => CallToolResult | Promise<CallToolResult>;
  /** Reads a resource of this server for the view. */
  readonly readResource?: (
    params: { readonly uri: string },
    during: During,
  ) => ReadResourceResult | Promise<ReadResourceResult>;
  /** Asks the user, and opens the page in the user's browser. False: the user said no. */
  readonly open?: (url: string, during: During) => Verdict;
  /** Adds a message to the conversation, with its role. False: it was not added. */
  readonly message?: (message: ViewChatMessage, during: During) => Verdict;
  /** Whether the model may get this context. The last one that was allowed is `modelContext` of the bridge. */
  readonly updateModelContext?: (context: ViewModelContext, during: During) => Verdict;
  /** Changes the mode of the frame. False: it stays as it is. */
  readonly changeDisplayMode?: (mode: DisplayMode) => Verdict;
  /** Told the size of the view's content in pixels; follow it where the dimensions are not fixed. */
  readonly onsize?: (size: { readonly width?: number; readonly height?: number }) => void;
  readonly onlog?: (entry: ViewLog) => void;
  /** Told that the view wants to be closed: call `teardown`, or not. */
  readonly onteardownrequest?: () => void;
  /** The policy that the view is shown under, to be told to it. */
  readonly sandbox?: Pick<UiResourceMeta, 'csp' | 'permissions'>;
  readonly audit?: AuditWriter;
  /** Told of malformed messages and of callbacks that fail. */
  readonly onproblem?: (problem: Error) => void;
  /** Most characters of one message of the view as JSON text; 1,048,576 when absent. */
  readonly maxMessageLength?: number;
  /** Most requests of the view that run at once; 32 when absent. */
  readonly maxRequests?: number;
}

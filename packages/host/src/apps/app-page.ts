import type { Tool } from 'crosspoint/client';
import { contentSecurityPolicy, permissionsPolicy, type AppDocument, type AppsClient } from '@crosspoint/apps/client';
import type { JsonObject } from '../values/json.ts';

/** A document of a server, and everything that a renderer needs to show it safely. */
export interface AppPage {
  readonly document: AppDocument;
  /** The Content-Security-Policy to show it under. */
  readonly contentSecurityPolicy: string;
  /** The `allow` attribute of its frame. */
  readonly allow: string;
  /** The origins that it may reach, to warn the user with. */
  readonly origins: readonly string[];
  /** The message with which a sandbox proxy is given the document. */
  readonly sandboxMessage: JsonObject;
}

/**
 * Reads the document of a tool with `resources/read`, for the renderer of the host. `undefined` for a tool without one. Rejects for a document
 * that cannot be shown.
 */
export async function readAppPage(
  apps: Pick<AppsClient, 'documentOf'>,
  tool: Tool,
  options: { readonly signal?: AbortSignal } = {},
): Promise<AppPage | undefined> {
  const document = await apps.documentOf(tool, options);
  if (document === undefined) return undefined;
  const { html, ui } = document;
  const { csp, permissions } = ui;
  return {
    document,
    contentSecurityPolicy: contentSecurityPolicy(csp),
    allow: permissionsPolicy(permissions),
    origins: [...new Set(Object.values(csp ?? {}).flat())],
    sandboxMessage: {
      jsonrpc: '2.0',
      method: 'ui/notifications/sandbox-resource-ready',
      params: {
        html,
        ...(csp && { csp: csp as JsonObject }),
        ...(permissions && { permissions: permissions as JsonObject }),
      },
    },
  };
}

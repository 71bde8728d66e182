/** Apps (MCP Apps, SEP-1865) of a server: reading documents, calling tools for them, and the policies to show them under. */
export { apps, AppsClient, toolsForApp, toolsForModel, type AppDocument } from './apps-client.ts';
export { contentSecurityPolicy, permissionsPolicy } from './content-security-policy.ts';
export {
  APPS_EXTENSION_ID as EXTENSION_ID,
  appsExtension,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
} from '../extension/apps-extension.ts';
export { uiOfTool, type UiToolMeta } from '../extension/ui-tool.ts';
export type { UiResourceMeta } from '../extension/ui-resource.ts';

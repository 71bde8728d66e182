/** Apps (MCP Apps, SEP-1865) of a server: reading documents, calling tools for them, and the policies to show them under. */
export { apps, AppsClient, toolsForApp, toolsForModel, type AppDocument } from './apps-client.ts';
export { contentSecurityPolicy, permissionsPolicy } from './content-security-policy.ts';
export {
  APPS_EXTENSION_ID as EXTENSION_ID,
  appsExtension,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
} from '../../extensions/apps/apps-extension.ts';
export { uiOfTool, type UiToolMeta } from '../../extensions/apps/ui-tool.ts';
export type { UiResourceMeta } from '../../extensions/apps/ui-resource.ts';

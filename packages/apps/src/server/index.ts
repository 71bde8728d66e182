/** Apps (MCP Apps, SEP-1865) on a server. */
export { registerAppResource, registerAppTool } from './register-app.ts';
export {
  APPS_EXTENSION_ID as EXTENSION_ID,
  appsExtension,
  getUiCapability,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
} from '../extension/apps-extension.ts';
export type { UiToolMeta } from '../extension/ui-tool.ts';
export type { UiResourceMeta } from '../extension/ui-resource.ts';

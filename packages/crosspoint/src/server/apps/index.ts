/** Apps (MCP Apps, SEP-1865) on a server. */
export { registerAppResource, registerAppTool } from './register-app.ts';
export {
  APPS_EXTENSION_ID as EXTENSION_ID,
  appsExtension,
  getUiCapability,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
} from '../../extensions/apps/apps-extension.ts';
export type { UiToolMeta } from '../../extensions/apps/ui-tool.ts';
export type { UiResourceMeta } from '../../extensions/apps/ui-resource.ts';

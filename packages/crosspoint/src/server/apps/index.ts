/** Apps (MCP Apps, SEP-1865) on a server. */
export { registerAppResource, registerAppTool, type AppResourceConfig, type AppToolConfig } from './register-app.ts';
export {
  APPS_EXTENSION_ID,
  APPS_EXTENSION_ID as EXTENSION_ID,
  appsExtension,
  getUiCapability,
  RESOURCE_MIME_TYPE,
  RESOURCE_URI_META_KEY,
  showsApps,
  type UiClientCapabilities,
} from '../../extensions/apps/apps-extension.ts';
export type { UiToolMeta, UiVisibility } from '../../extensions/apps/ui-tool.ts';
export type { UiCsp, UiPermissions, UiResourceMeta } from '../../extensions/apps/ui-resource.ts';

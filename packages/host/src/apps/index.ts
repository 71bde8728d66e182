/** Apps (MCP Apps): documents of servers for whoever renders them, and the bridge between a view and the host. */
export { readAppPage, type AppPage } from './app-page.ts';
export { openWithConsent } from './open-with-consent.ts';
export {
  APPS_PROTOCOL_VERSION,
  type DisplayMode,
  type HostContext,
  type ViewBridgeOptions,
  type ViewChatMessage,
  type ViewInfo,
  type ViewLog,
  type ViewModelContext,
} from './protocol.ts';
export { isForwarded, sandboxProxy } from './sandbox-proxy.ts';
export { ViewBridge } from './view-bridge.ts';
export { viewOfHost, type ViewedHost, type ViewOfHostOptions } from './view-of-host.ts';

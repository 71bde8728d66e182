export { bridge, type Bridge } from './bridge.ts';
export type { BridgeOptions } from './bridge-options.ts';
export type { Upstream, UpstreamCaller } from './upstream/upstream.ts';

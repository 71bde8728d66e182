export { bridge, type Bridge } from './bridge.ts';
export type { BridgeOptions } from './bridge-options.ts';
export { record, type BridgeRecorder } from './recorder.ts';
export type { Upstream, UpstreamCaller } from './upstream/upstream.ts';
export { fromClient, type FromClientOptions } from './source/from-client.ts';

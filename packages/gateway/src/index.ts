export type { Upstream, UpstreamCaller } from './upstream/upstream.ts';

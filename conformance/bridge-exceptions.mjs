/**
 * Scenarios that pass without the bridge and cannot pass through it, as `{ leg, upstream, set, name, reason }`; `upstream` is `ours`, `v1` or `v2`, and
 * absent for clients. Each is also in the guide's table of what is not carried. One that passes after all fails the run.
 */
export const EXCEPTIONS = [];

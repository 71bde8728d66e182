/**
 * The exact versions on which the published package is tested: the oldest supported Node, the newest of each later line, and the
 * other runtimes. npm carries all of them.
 */
export const NODE_VERSIONS = ['20.19.0', '22.23.2', '24.21.0', '26.10.0'];
export const BUN_VERSION = '1.4.4';
export const DENO_VERSION = '2.9.6';
export const WORKERD_VERSION = '1.20261104.1';

/** The official Inspector, and the Node that it asks for. */
export const INSPECTOR_VERSION = '2.12.0';
export const INSPECTOR_NODE_VERSION = '24.21.0';

/** The SQLite driver for Node 20, which has none of its own. */
export const SQLITE_VERSION = '1.2.1';

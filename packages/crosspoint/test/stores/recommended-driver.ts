import * as driver from '@photostructure/sqlite';

const name: string = 'node:sqlite';
const builtIn: unknown = await import(name).catch(() => undefined);

/** The SQLite driver that `docs/stores.md` names for this Node: its own, or that of the package with the same API. */
export const { DatabaseSync } = (builtIn ?? driver) as typeof driver;

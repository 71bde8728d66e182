import type { Registration, RegisteredEntry } from './registered-entry.ts';

type Change<Config, Callback> = Partial<Omit<Registration<Config, Callback>, 'order'>>;

/**
 * The object that `register…` returns: the configuration as members, kept in step, and methods to change it. `key` names the member that holds the
 * entry's key; setting it to `null` removes the entry.
 */
export function handleOf<Handle>(entry: RegisteredEntry<object, unknown, never>, key: 'name' | 'uri'): Handle {
  const handle: Record<string, unknown> = {
    enable: () => apply({ enabled: true }),
    disable: () => apply({ enabled: false }),
    remove: () => entry.remove(),
    update: (changes: Record<string, unknown>) => {
      if (changes[key] === null) entry.remove();
      else apply(readChanges(entry.current, key, changes));
    },
  };
  const sync = (): void => {
    const { config, enabled } = entry.current;
    Object.assign(handle, config, { [key]: entry.current.key, enabled });
  };
  const apply = (change: Change<object, unknown>): void => {
    entry.update(change);
    sync();
  };
  sync();
  return handle as Handle;
}

/** Reads the changes of an update. Members that are absent or `undefined` stay as they are. */
function readChanges(
  current: Registration<object, unknown>,
  key: string,
  changes: Record<string, unknown>,
): Change<object, unknown> {
  const { [key]: newKey, callback, enabled, paramsSchema, template, metadata, ...rest } = changes;
  const renamed = {
    inputSchema: paramsSchema ?? rest['inputSchema'],
    resourceTemplate: template ?? rest['resourceTemplate'],
  };
  const config = Object.entries({ ...(metadata as object | undefined), ...rest, ...renamed }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    config: { ...current.config, ...Object.fromEntries(config) },
    ...(typeof newKey === 'string' && { key: newKey }),
    ...(callback !== undefined && { callback }),
    ...(typeof enabled === 'boolean' && { enabled }),
  };
}

import type { RedisClient } from './redis-client.ts';

/** The part of a client of a Redis Cluster that the store uses; `createCluster()` of the package `redis` has it. */
export interface RedisCluster {
  readonly isOpen: boolean;
  /** Absent in releases 4 and 5. */
  readonly isReady?: boolean;
  readonly masters: readonly object[];
  connect(): Promise<unknown>;
  duplicate(overrides?: { minimizeConnections?: boolean }): RedisCluster;
  sendCommand(firstKey: string | undefined, isReadonly: boolean, args: string[], options?: object): Promise<unknown>;
  sSubscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  sUnsubscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (error: Error) => void): unknown;
  off(event: string, listener: (error: Error) => void): unknown;
  destroy?(): unknown;
  disconnect?(): unknown;
}

export function isRedisCluster(client: RedisClient | RedisCluster): client is RedisCluster {
  return 'masters' in client;
}

/** A cluster as one client: a command goes to the master of its first key, a message to the master of its channel. Replicas are never read. */
export function clusterClient(cluster: RedisCluster): RedisClient {
  let isConnecting = false;
  return {
    get isOpen() {
      return cluster.isOpen;
    },
    get isReady() {
      return cluster.isReady ?? (cluster.isOpen && !isConnecting);
    },
    async connect() {
      isConnecting = true;
      await cluster.connect().finally(() => (isConnecting = false));
    },
    // The duplicate is for subscriptions alone, which have connections of their own.
    duplicate: () => clusterClient(cluster.duplicate({ minimizeConnections: true })),
    sendCommand: ([name = '', ...rest], options) =>
      cluster.sendCommand(
        rest[name.startsWith('EVAL') ? 2 : 0],
        false,
        [name === 'PUBLISH' ? 'SPUBLISH' : name, ...rest],
        options,
      ),
    subscribe: (channel, listener) => cluster.sSubscribe(channel, listener),
    unsubscribe: (channel) => cluster.sUnsubscribe(channel),
    on: (event, listener) => eventsOf(event).forEach((name) => cluster.on(name, listener)),
    off: (event, listener) => eventsOf(event).forEach((name) => cluster.off(name, listener)),
    destroy: () => (cluster.destroy ? cluster.destroy() : cluster.disconnect?.()),
  };
}

/** A cluster is ready as soon as it is connected, and reports the lost connections of its nodes apart. */
function eventsOf(event: string): string[] {
  return event === 'ready' ? ['connect'] : [event, `node-${event}`];
}

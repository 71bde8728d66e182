import { createClient } from '@redis/client';
import { freePort, startRedis, type PrivateRedis } from './redis-server.ts';

const SLOTS = 16_384;
const MASTERS = 3;

/** One Redis of a cluster. */
export interface ClusterNode extends PrivateRedis {
  /** Sends a command to this node alone. */
  ask(...command: string[]): Promise<unknown>;
  /** The texts of `INFO <section>` by name. */
  info(section: string): Promise<ReadonlyMap<string, string>>;
  /** Resolves when a replica has said that it has all that this master has now. */
  replicated(): Promise<void>;
}

/** A cluster of three masters with a replica each, on free ports of the loopback interface. */
export interface PrivateCluster {
  readonly nodes: readonly ClusterNode[];
  readonly rootNodes: { url: string }[];
  /** The nodes that are masters now. */
  masters(): Promise<readonly ClusterNode[]>;
  /** The master of a key now. */
  masterOf(key: string): Promise<ClusterNode>;
  close(): Promise<void>;
}

async function until(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 40_000;
  while (!(await isTrue().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`${what} did not come to be in 40 s.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A node that waits for its masters: `timeoutMs` is the silence after which a master counts as failed. */
async function startNode(timeoutMs: number): Promise<ClusterNode & { readonly busPort: number }> {
  const busPort = await freePort();
  const ofCluster = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort)];
  const rules = ['--cluster-node-timeout', String(timeoutMs), '--cluster-require-full-coverage', 'no'];
  const redis = await startRedis([...ofCluster, ...rules, '--repl-diskless-sync-delay', '0', '--appendonly', 'no']);
  const ask = async (...command: string[]): Promise<unknown> => {
    const socket = { reconnectStrategy: false as const, connectTimeout: 2000 };
    const client = createClient({ url: redis.url, socket }).on('error', () => {});
    try {
      return await (await client.connect()).sendCommand(command);
    } finally {
      if (client.isOpen) client.destroy();
    }
  };
  const info = async (section: string): Promise<ReadonlyMap<string, string>> => {
    const lines = String(await ask('INFO', section)).split('\r\n');
    return new Map(lines.filter((line) => line.includes(':')).map((line) => splitAt(line, line.indexOf(':'))));
  };
  const replicated = async (): Promise<void> => {
    const written = Number((await info('replication')).get('master_repl_offset'));
    const had = async (): Promise<number> =>
      Number(/offset=(\d+)/.exec((await info('replication')).get('slave0') ?? '')?.[1] ?? -1);
    await until(async () => (await had()) >= written, 'A replica that has everything');
  };
  return { ...redis, busPort, ask, info, replicated };
}

function splitAt(line: string, index: number): [string, string] {
  return [line.slice(0, index), line.slice(index + 1)];
}

/** Starts the cluster. A master that is silent for `timeoutMs` is replaced by its replica. */
export async function startCluster(timeoutMs = 5000): Promise<PrivateCluster> {
  const nodes = await Promise.all(Array.from({ length: 2 * MASTERS }, () => startNode(timeoutMs)));
  const close = async (): Promise<void> => void (await Promise.all(nodes.map((node) => node.close())));
  const masters = async (): Promise<readonly ClusterNode[]> => {
    const roles = await Promise.all(nodes.map((node) => node.info('replication').catch(() => new Map())));
    return nodes.filter((_, index) => roles[index]?.get('role') === 'master');
  };
  try {
    await join(nodes);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    nodes,
    rootNodes: nodes.map(({ url }) => ({ url })),
    masters,
    async masterOf(key) {
      const found: ClusterNode[] = [];
      await until(async () => {
        for (const node of await masters()) {
          const isOwn = await node.ask('EXISTS', key).then(
            () => true,
            () => false,
          );
          if (isOwn) found.push(node);
        }
        return found.length > 0;
      }, `A master of ${key}`);
      return found[0] as ClusterNode;
    },
    close,
  };
}

async function join(nodes: readonly (ClusterNode & { readonly busPort: number })[]): Promise<void> {
  const [first, ...others] = nodes;
  const chosen = nodes.slice(0, MASTERS);
  for (const [index, master] of chosen.entries()) {
    const bounds = [index, index + 1].map((part) => Math.round((part * SLOTS) / MASTERS));
    await master.ask('CLUSTER', 'ADDSLOTSRANGE', String(bounds[0]), String((bounds[1] ?? 0) - 1));
    await master.ask('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
  }
  for (const { port, busPort } of others)
    await first?.ask('CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort));
  const known = async (node: ClusterNode): Promise<boolean> =>
    String(await node.ask('CLUSTER', 'NODES')).split('connected').length > nodes.length;
  await until(
    async () => (await Promise.all(nodes.map(known))).every(Boolean),
    'A cluster in which all know each other',
  );
  for (const [index, replica] of nodes.slice(MASTERS).entries())
    await replica.ask('CLUSTER', 'REPLICATE', String(await chosen[index]?.ask('CLUSTER', 'MYID')));
  const ready = async (node: ClusterNode, index: number): Promise<boolean> =>
    String(await node.ask('CLUSTER', 'INFO')).includes('cluster_state:ok') &&
    (index < MASTERS || (await node.info('replication')).get('master_link_status') === 'up');
  await until(async () => (await Promise.all(nodes.map(ready))).every(Boolean), 'A cluster with its replicas');
}

/** Callbacks of a bridge: each driver has a server or a client cause one to go wrong; afterwards the bridge answers as before. */
import type { Client } from 'crosspoint/client';
import { connectLinked } from 'crosspoint/testing';
import { expect } from 'vitest';
import { settled, type Fault } from '../../../crosspoint/test/guard/faults.ts';
import { bridge } from '../../src/bridge.ts';
import type { BridgeOptions } from '../../src/bridge-options.ts';
import { children, type Children, type ChildrenOptions } from '../../src/stdio/children.ts';
import type { Upstream } from '../../src/upstream/upstream.ts';
import { program } from '../programs.ts';

export type Driver = (fault: Fault) => Promise<void>;

interface Plan {
  readonly children?: ChildrenOptions;
  readonly options?: BridgeOptions;
  /** Puts a fault into the server behind the bridge. */
  readonly upstream?: (pool: Children) => Upstream;
  /** The cause. */
  readonly by: (client: Client) => Promise<unknown>;
}

async function drive(fault: Fault, plan: Plan): Promise<void> {
  const pool = children({ command: process.execPath, args: [program('child.mjs')] }, plan.children);
  const face = bridge(plan.upstream?.(pool) ?? pool, plan.options);
  const opened: { client: Client; close(): Promise<void> }[] = [];
  const connect = async (): Promise<Client> => {
    const one = await connectLinked(face, { revisions: 'per-request' });
    opened.push(one);
    return one.client;
  };
  try {
    await settled(connect().then((client) => plan.by(client)));
    await fault.called();
    fault.isOn = false;
    expect((await (await connect()).callTool({ name: 'pid' })).content).toHaveLength(1);
  } finally {
    for (const one of opened) await one.close();
    await settled(face.close());
    await pool.close();
  }
}

const call =
  (name: string) =>
  (client: Client): Promise<unknown> =>
    client.callTool({ name });
const nothing = (): void => {};
const fails = (): never => {
  throw new Error('The log is full.');
};

export const GATEWAY: Readonly<Record<string, Driver>> = {
  'bridge.onproblem': (fault) => drive(fault, { options: { onproblem: fault.in(nothing) }, by: call('garbage') }),
  'children.onstderr': (fault) => drive(fault, { children: { onstderr: fault.in(nothing) }, by: call('say') }),
  'children.onproblem': (fault) =>
    drive(fault, { children: { onstderr: fails, onproblem: fault.in(nothing) }, by: call('say') }),
  'upstream.connect': (fault) => drive(fault, { upstream: (pool) => fault.of(pool, 'connect'), by: call('pid') }),
  async 'upstream.close'(fault) {
    const pool = children({ command: process.execPath, args: [program('child.mjs')] });
    const face = bridge(fault.of(pool, 'close'));
    const { client, close } = await connectLinked(face, { revisions: 'per-request' });
    await client.callTool({ name: 'pid' });
    await close();
    await settled(face.close());
    await fault.called();
    await pool.close();
  },
};

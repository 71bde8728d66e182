import os from 'node:os';
import { canPin } from '../measure/processes.mjs';

/** Describes the machine that the figures were taken on. */
export function describeMachine() {
  const cores = os.cpus();
  return {
    system: `${os.type()} ${os.arch()}`,
    processor: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    node: process.version,
    isPinned: canPin,
  };
}

export function machineLine({ system, processor, cores, memoryGb, node, isPinned }) {
  const pinned = isPinned
    ? 'server on core 0, driver on core 1'
    : 'not pinned to cores (no taskset here): expect wider ranges';
  return `${system}, ${processor}, ${cores} cores, ${memoryGb} GB, Node ${node}; ${pinned}`;
}

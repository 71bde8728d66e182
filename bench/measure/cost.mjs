import { watchForeignLoad } from './foreign-load.mjs';
import { cpuTimeOf } from './processes.mjs';

const ownCpu = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/**
 * Runs some work and returns its cost.
 * @param {import('./processes.mjs').CommandedProcess[]} processes those that take part, the measured one first
 * @param {() => Promise<any>} work
 * @param {number[]} [pids] further processes that take part and cannot be asked
 */
export async function costOf(processes, work, pids = []) {
  const foreignLoad = watchForeignLoad();
  const ownBefore = ownCpu();
  const before = await Promise.all(processes.map((process) => process.usage()));
  const othersBefore = pids.map((pid) => cpuTimeOf(pid) ?? 0);
  const since = performance.now();
  const result = await work();
  const seconds = (performance.now() - since) / 1000;
  const after = await Promise.all(processes.map((process) => process.usage()));
  const cpu = after.map((usage, index) => usage.cpu - before[index].cpu);
  const others = pids.map((pid, index) => (cpuTimeOf(pid) ?? 0) - othersBefore[index]);
  const own = [...cpu, ...others].reduce((sum, spent) => sum + spent, ownCpu() - ownBefore);
  return { result, seconds, cpu, others, peakRssMb: after[0].peakRssMb, foreign: foreignLoad(own) };
}

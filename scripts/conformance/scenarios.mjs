import { runSuite } from './suite.mjs';

/** Revisions with a frozen list of requirements, then older ones, which only have scenarios that apply to them. */
const FROZEN = ['2025-11-25', '2026-07-28'];
const OLDER = ['2025-06-18', '2025-03-26'];
const LIST_LIMIT = 60_000;

/** Features that are not there yet, as `{ feature, of }` with a pattern for names; none at present. Their scenarios are shown as open and count neither as passed nor as failed. */
const OPEN = [];

/**
 * All scenarios of the suite, one entry for each set that a scenario belongs to: `{ name, leg, set, revision, open }`. `revision` is
 * the one that the suite is told to speak; without it a scenario runs in the revision it was written for.
 */
export async function loadScenarios(node) {
  const all = await listAll(node);
  const found = [];
  for (const revision of FROZEN) {
    for (const { name, leg } of await listRequired(node, revision)) found.push({ name, leg, set: revision, revision });
  }
  for (const revision of OLDER) {
    for (const { name, leg, versions } of all) {
      if (leg !== 'authorization' && versions.includes(revision)) found.push({ name, leg, set: revision, revision });
    }
  }
  for (const { name, leg } of all) {
    if (!found.some((entry) => entry.name === name)) found.push({ name, leg, set: 'others', revision: undefined });
  }
  return found.map((entry) => ({ ...entry, open: OPEN.find(({ of }) => of.test(entry.name))?.feature }));
}

/** The arguments that make the suite run a whole set against a server; `undefined` for a scenario outside all sets. */
export function argumentsOfSet(set) {
  if (FROZEN.includes(set)) return ['--requirements', set];
  return OLDER.includes(set) ? ['--suite', 'all', '--spec-version', set] : undefined;
}

async function list(node, ...args) {
  const { code, stdout, output } = await runSuite(node, ['list', ...args], LIST_LIMIT);
  if (code !== 0) throw new Error(`The suite could not list its scenarios:\n${output}`);
  return stdout.split('\n');
}

const HEADING = /^(Server|Client|Authorization server) scenarios/;
const LEGS = { Server: 'server', Client: 'client', 'Authorization server': 'authorization' };

async function listAll(node) {
  const all = [];
  let leg;
  for (const line of await list(node)) {
    leg = LEGS[HEADING.exec(line)?.[1]] ?? leg;
    const [, name, versions] = /^ {2}- (\S+)(?: \[(.*)\])?$/.exec(line) ?? [];
    if (name) all.push({ name, leg, versions: (versions ?? '').split(',') });
  }
  return all;
}

/** The required scenarios of a revision, and after them those that the suite runs without scoring. */
async function listRequired(node, revision) {
  const all = [];
  let leg;
  for (const line of await list(node, '--requirements', revision)) {
    leg = LEGS[HEADING.exec(line)?.[1]] ?? leg;
    const [, required] = /^ {2}- (\S+)$/.exec(line) ?? [];
    const [, beside, besideLeg] = /^ {4}- (\S+) \[(\w+)\]$/.exec(line) ?? [];
    if (required) all.push({ name: required, leg });
    else if (beside) all.push({ name: beside, leg: besideLeg });
  }
  if (all.length === 0) throw new Error(`The suite lists nothing that ${revision} requires.`);
  return all;
}

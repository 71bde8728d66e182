import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { placeSubject } from '../measure/places.mjs';

const OLDER = ['before', 'before again'];

/** Names the other checkout as two further subjects. It must be built: its programs run from there, with its package. */
export function addOlder(folder) {
  const bench = join(resolve(folder), 'bench');
  const built = join(resolve(folder), 'packages', 'crosspoint', 'dist', 'server');
  if (!existsSync(join(bench, 'subjects', 'host.mjs')) || !existsSync(built))
    throw new Error(`--against takes the folder of another checkout, built with "npm run build"; "${folder}" is none.`);
  for (const name of OLDER) placeSubject(name, { bench, subject: 'crosspoint' });
}

function twin(variant, name) {
  const swap = (value) => (value === 'crosspoint' ? name : value);
  const { label, subject, client, server, reference: _reference, ...rest } = variant;
  const pair = client === undefined ? {} : { client: swap(client), server: swap(server) };
  const renamed = label.includes('crosspoint') ? label.replaceAll('crosspoint', name) : `${label}, ${name}`;
  return { ...rest, ...pair, subject: swap(subject), label: renamed };
}

/**
 * A workload as a comparison of two builds: each variant of Crosspoint stands beside the same one of the older checkout. The older one is
 * measured twice in each round: the ratio of its second row is the noise that the ratio of this build is to be held against.
 */
export function besideOlder(workload) {
  const variants = workload.variants
    .filter(({ subject }) => subject === 'crosspoint')
    .flatMap((variant) => {
      const [before, again] = OLDER.map((name) => twin(variant, name));
      return [before, again, variant].map((one) => ({ ...one, reference: before.label }));
    });
  return { ...workload, variants, reference: 'before', curves: undefined, targets: [] };
}

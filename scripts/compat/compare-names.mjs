// The names of the official SDK that are missing here, compared with the list of missing names.
import { declarationFile, entryPoints, urlOf } from './entry-points.mjs';
import { exportedNames } from './exported-names.mjs';

const union = (sets) => new Set(sets.flatMap((set) => [...set]));

/** One entry: the number of its names, those that are missing altogether, and those that are types here but values there. */
async function compareEntry({ name, theirs, ours }) {
  const values = exportedNames(theirs);
  const all = union([exportedNames(declarationFile(theirs)), values]);
  const ourValues = new Set(
    (await Promise.all(ours.map((file) => import(urlOf(file))))).flatMap((module) => Object.keys(module)),
  );
  const ourNames = union([ourValues, ...ours.map((file) => exportedNames(declarationFile(file)))]);
  const missing = [...all].filter((each) => !ourNames.has(each) || (values.has(each) && !ourValues.has(each)));
  return { name, total: all.size, missing: missing.sort((one, other) => one.localeCompare(other)) };
}

export async function compareNames(root) {
  const { v1, v2 } = entryPoints(root);
  return { v1: await Promise.all(v1.map(compareEntry)), v2: await Promise.all(v2.map(compareEntry)) };
}

/** The faults of the list: missing names without a reason, and reasons for names that exist. */
export function faultsOfList(compared, list) {
  return [...compared.v1, ...compared.v2].flatMap(({ name, missing }) => {
    const listed = list[name] ?? {};
    return [
      ...missing
        .filter((each) => !listed[each])
        .map((each) => `${name}: ${each} is missing, and the list gives no reason`),
      ...Object.keys(listed)
        .filter((each) => !missing.includes(each))
        .map((each) => `${name}: ${each} is listed as missing, but is there`),
    ];
  });
}

/** How many names of all entries are present. */
export function shareOf(entries) {
  const total = entries.reduce((sum, entry) => sum + entry.total, 0);
  const missing = entries.reduce((sum, entry) => sum + entry.missing.length, 0);
  return { total, present: total - missing, share: (total - missing) / total };
}

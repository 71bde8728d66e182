// The reasons why a version cannot be released, in sentences.
import { sectionOf } from './changelog.mjs';

/**
 * @param {{ version: string, manifests: object[], changelog: string, isClean: boolean, tags: string[] }} state
 * @returns {string[]}
 */
export function releaseFaults({ version, manifests, changelog, isClean, tags }) {
  const names = new Set(manifests.map(({ name }) => name));
  const faults = manifests
    .filter((manifest) => manifest.version !== version)
    .map((manifest) => `${manifest.name} has version ${manifest.version}, not ${version}.`);
  for (const { name, dependencies = {}, peerDependencies = {} } of manifests)
    for (const [needed, range] of Object.entries({ ...dependencies, ...peerDependencies }))
      if (names.has(needed) && range !== version)
        faults.push(`${name} needs ${needed} ${range}, not exactly ${version}.`);
  if (!sectionOf(changelog, version)) faults.push(`CHANGELOG.md has no section for ${version}.`);
  if (sectionOf(changelog, 'Unreleased')) faults.push('CHANGELOG.md has entries under Unreleased.');
  if (!isClean) faults.push('The working tree has changes that are not committed.');
  if (tags.includes(`v${version}`)) faults.push(`The tag v${version} exists.`);
  return faults;
}

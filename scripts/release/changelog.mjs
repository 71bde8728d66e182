// CHANGELOG.md as text: what a release says of itself.

const UNRELEASED = '## [Unreleased]';
const heading = (version) => `## [${version}]`;

/** The text of a version's section without its heading; `undefined` where there is none. */
export function sectionOf(changelog, version) {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => line.startsWith(heading(version)));
  if (start === -1) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  const end = length === -1 ? lines.length : start + 1 + length;
  return lines
    .slice(start + 1, end)
    .join('\n')
    .trim();
}

/** Gives what is unreleased to a version, and leaves an empty section for what comes next. Throws where nothing is unreleased. */
export function withRelease(changelog, version, date) {
  if (!sectionOf(changelog, 'Unreleased')) throw new Error('CHANGELOG.md has nothing under Unreleased to be released.');
  if (sectionOf(changelog, version) !== undefined)
    throw new Error(`CHANGELOG.md has a section for ${version} already.`);
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n${heading(version)} - ${date}`);
}

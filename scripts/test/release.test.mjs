import { describe, expect, it } from 'vitest';
import { sectionOf, withRelease } from '../release/changelog.mjs';
import { releaseFaults } from '../release/faults.mjs';

const CHANGELOG =
  '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-01-02\n\n- The first.\n';

describe('the changelog', () => {
  it('gives what is unreleased to a version', () => {
    const released = withRelease(CHANGELOG, '0.2.0', '2026-03-04');
    expect(released).toContain('## [Unreleased]\n\n## [0.2.0] - 2026-03-04\n\n### Added');
    expect(sectionOf(released, '0.2.0')).toBe('### Added\n\n- A thing.');
    expect(sectionOf(released, 'Unreleased')).toBe('');
    expect(sectionOf(released, '0.1.0')).toBe('- The first.');
  });

  it('has nothing to release twice, or from nothing', () => {
    expect(() => withRelease(CHANGELOG, '0.1.0', '2026-03-04')).toThrow(/has a section for 0\.1\.0 already/);
    expect(() => withRelease('## [Unreleased]\n\n## [0.1.0]\n', '0.2.0', '2026-03-04')).toThrow(
      /nothing under Unreleased/,
    );
  });

  it('does not take one version for another that begins alike', () => {
    expect(sectionOf('## [0.1.0-beta]\n\nOld.\n', '0.1.0')).toBeUndefined();
  });
});

describe('a release', () => {
  const good = {
    version: '0.2.0',
    manifests: [
      { name: 'one', version: '0.2.0' },
      { name: 'two', version: '0.2.0', dependencies: { one: '0.2.0', other: '^1.0.0' } },
    ],
    changelog: withRelease(CHANGELOG, '0.2.0', '2026-03-04'),
    isClean: true,
    tags: ['v0.1.0'],
  };

  it('can be made of one version that is pinned, described and committed', () => {
    expect(releaseFaults(good)).toEqual([]);
  });

  it.each([
    ['another version', { manifests: [{ name: 'one', version: '0.1.0' }] }, 'one has version 0.1.0, not 0.2.0.'],
    [
      'a range',
      { manifests: [good.manifests[0], { ...good.manifests[1], dependencies: { one: '^0.2.0' } }] },
      'two needs one ^0.2.0, not exactly 0.2.0.',
    ],
    [
      'a peer of another version',
      { manifests: [good.manifests[0], { ...good.manifests[1], peerDependencies: { one: '0.1.0' } }] },
      'two needs one 0.1.0, not exactly 0.2.0.',
    ],
    ['changes', { isClean: false }, 'The working tree has changes that are not committed.'],
    ['a tag', { tags: ['v0.2.0'] }, 'The tag v0.2.0 exists.'],
  ])('is refused for %s', (_name, wrong, fault) => {
    expect(releaseFaults({ ...good, ...wrong })).toContain(fault);
  });

  it('is refused for a changelog without it, or with entries that would be left out', () => {
    expect(releaseFaults({ ...good, changelog: CHANGELOG })).toEqual([
      'CHANGELOG.md has no section for 0.2.0.',
      'CHANGELOG.md has entries under Unreleased.',
    ]);
  });
});

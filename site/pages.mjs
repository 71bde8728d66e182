import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SECTIONS, addressOf } from './navigation.mjs';
import { referencePages } from './reference/reference-pages.mjs';

const titleOf = (source, file) => /^# (.+)$/m.exec(source)?.[1]?.replaceAll('`', '') ?? file;

/**
 * Every page of the site by section of the navigation: its file, its address, and its Markdown. The pages of the reference are read from the
 * built package.
 */
export function collectPages(root) {
  const fromFile = (file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return { file, address: addressOf(file), source, title: titleOf(source, file) };
  };
  const written = SECTIONS.map((section) => {
    const listed = section.folder === undefined ? section.pages : pagesIn(root, section.folder);
    return { ...section, pages: listed.map(fromFile) };
  });
  const explained = written.flatMap(({ pages }) => pages).filter(({ file }) => file.startsWith('docs/'));
  const made = referencePages(root, explained).map((page) => ({ ...page, address: addressOf(page.file) }));
  return written.map((section) => (section.reference === true ? { ...section, pages: made } : section));
}

function pagesIn(root, folder) {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`);
}

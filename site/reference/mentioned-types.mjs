import { docBefore } from './declaration-file.mjs';
import { meaningOf } from './exports-of.mjs';

/** Types of revisions: mentioned in many places, and of no use outside. */
const INTERNAL = /\/revisions\//;

/** Classes that programs receive and do not construct: the types of their constructors are of no use outside either. */
const GIVEN = new Set(['ServerContext']);

/** One key for each declaration, however many entries export it under however many names. */
export const keyOfMeaning = ({ file, name }) => `${file?.path ?? ''} ${name}`;

/**
 * The interfaces that exported declarations mention and no entry exports, such as a part of the options of a class: their members have to be described
 * beside what mentions them.
 * @param {Iterable<object>} meanings what the names of an entry stand for
 * @param {ReadonlySet<string>} exported the keys of everything that some entry exports
 */
export function mentionedTypes(meanings, exported) {
  const found = new Map();
  const left = [...meanings];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const { declaration } of next.declarations) {
      if (declaration.superClass?.type === 'Identifier') {
        const base = meaningOf(next.file.path, declaration.superClass.name);
        if (base !== undefined) left.push(base);
      }
      for (const name of namesIn(shownPartOf(next.file, declaration))) {
        const meaning = meaningOf(next.file.path, name);
        if (meaning === undefined || !isInterface(meaning)) continue;
        const key = keyOfMeaning(meaning);
        if (exported.has(key) || found.has(key)) continue;
        found.set(key, meaning);
        left.push(meaning);
      }
    }
  }
  return [...found.values()];
}

const isInterface = ({ file, declarations }) =>
  declarations.length > 0 &&
  declarations.every(({ declaration }) => declaration.type === 'TSInterfaceDeclaration') &&
  !INTERNAL.test(file.path.replaceAll('\\', '/'));

/** A declaration without the members that readers are not shown. */
function shownPartOf(file, declaration) {
  if (declaration.type !== 'ClassDeclaration' && declaration.type !== 'TSInterfaceDeclaration') return declaration;
  const isUsed = (member) => member.kind !== 'constructor' || !GIVEN.has(declaration.id.name);
  return [declaration.extends, declaration.body.body.filter((member) => isShown(file, member) && isUsed(member))];
}

const isShown = (file, { key, accessibility, start }) =>
  key?.type !== 'PrivateIdentifier' && accessibility !== 'private' && !docBefore(file, start).isInternal;

/** The names of all types that a part of a declaration refers to. */
function namesIn(node, names = new Set()) {
  if (typeof node !== 'object' || node === null) return names;
  if (node.type === 'TSTypeReference' && node.typeName.type === 'Identifier') names.add(node.typeName.name);
  if (node.type === 'TSInterfaceHeritage' && node.expression.type === 'Identifier') names.add(node.expression.name);
  for (const part of Object.values(node)) namesIn(part, names);
  return names;
}

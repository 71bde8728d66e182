import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { declarationFile } from './declaration-file.mjs';

/**
 * Every name that a file of declarations exports, with its meaning: the file that declares it and its declarations there, several where
 * a function has overloads or a name is both a type and a value; or the package it comes from.
 */
export function exportsOf(path) {
  const file = declarationFile(path);
  const found = new Map();
  for (const node of file.body) {
    if (node.type === 'ExportAllDeclaration') {
      const target = resolve(path, node.source.value);
      if (target !== undefined)
        for (const [name, value] of exportsOf(target)) if (!found.has(name)) found.set(name, value);
    }
    if (node.type !== 'ExportNamedDeclaration') continue;
    for (const name of declaredNames(node.declaration)) found.set(name, lookUp(path, name));
    for (const { local, exported } of node.specifiers) {
      const name = nameOf(exported);
      found.set(
        name,
        node.source === null ? lookUp(path, nameOf(local)) : from(path, node.source.value, nameOf(local)),
      );
    }
  }
  return found;
}

const nameOf = (node) => node.name ?? node.value;

function from(path, specifier, name) {
  const target = resolve(path, specifier);
  if (target === undefined) return { name, external: specifier, declarations: [] };
  const found = exportsOf(target).get(name);
  if (found === undefined) throw new Error(`${target} does not export ${name}, which ${path} takes from it.`);
  return found;
}

/** The meaning of a name inside a file: declared there, or imported; `undefined` for a name of the language. */
export function meaningOf(path, name) {
  const file = declarationFile(path);
  const declarations = file.body
    .map((node) => ({ node, declaration: node.type === 'ExportNamedDeclaration' ? node.declaration : node }))
    .filter(({ declaration }) => declaredNames(declaration).includes(name));
  if (declarations.length > 0) return { name, file, declarations };
  for (const node of file.body) {
    if (node.type !== 'ImportDeclaration') continue;
    const specifier = node.specifiers.find(({ local }) => local.name === name);
    if (specifier?.imported !== undefined) return from(path, node.source.value, nameOf(specifier.imported));
    if (specifier !== undefined) return { name, external: node.source.value, declarations: [] };
  }
  return undefined;
}

function lookUp(path, name) {
  const found = meaningOf(path, name);
  if (found === undefined) throw new Error(`${path} exports ${name} but does not declare it.`);
  return found;
}

function declaredNames(node) {
  if (node === null || node === undefined) return [];
  if (node.type === 'VariableDeclaration') return node.declarations.map(({ id }) => id.name);
  return node.id?.name === undefined ? [] : [node.id.name];
}

function resolve(path, specifier) {
  if (!specifier.startsWith('.')) return undefined;
  const target = join(dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts'));
  if (!existsSync(target)) throw new Error(`${path} takes something from ${specifier}, which is not there.`);
  return target;
}

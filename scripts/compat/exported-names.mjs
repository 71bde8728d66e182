// The names that a file exports. Files are parsed and not run: some need packages that are not installed.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Resolves a relative specifier: in a declaration file `./a.js` is described by `./a.d.ts`, elsewhere it is that file. */
function resolve(specifier, importer) {
  const path = join(dirname(importer), specifier);
  const candidates = /\.d\.m?ts$/.test(importer)
    ? [path.replace(/\.js$/, '.d.ts').replace(/\.mjs$/, '.d.mts'), path.replace(/\.ts$/, '.d.ts')]
    : [path];
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found === undefined) throw new Error(`${importer} names ${specifier}, which is not there`);
  return found;
}

const nameOf = (node) => node.name ?? node.value;

/** The names that one statement exports. */
function namesOfStatement(statement, file) {
  if (statement.type === 'ExportAllDeclaration') {
    if (statement.exported) return [nameOf(statement.exported)];
    const { value } = statement.source;
    return value.startsWith('.') ? [...exportedNames(resolve(value, file))] : [];
  }
  if (statement.type !== 'ExportNamedDeclaration') return [];
  const { declaration } = statement;
  const declared =
    declaration?.declarations?.map(({ id }) => nameOf(id)) ?? (declaration ? [nameOf(declaration.id)] : []);
  return [...declared, ...statement.specifiers.map(({ exported }) => nameOf(exported))];
}

/** Every exported name of a file: of values in JavaScript, of types as well in declarations. */
export function exportedNames(file) {
  const { program, errors } = parseSync(file, readFileSync(file, 'utf8'));
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const names = program.body.flatMap((statement) => namesOfStatement(statement, file));
  return new Set(names.filter((name) => name !== 'default'));
}

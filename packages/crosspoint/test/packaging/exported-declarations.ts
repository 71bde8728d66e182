import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, type ExportNamedDeclaration, type ModuleExportName } from 'oxc-parser';
import { PACKAGES, entriesOf } from '../../../../scripts/packages.mjs';

/** The declaration that an exported name stands for. */
export interface Declared {
  readonly file: string;
  readonly local: string;
  readonly isClass: boolean;
}

/** What a declaration file exports, followed through other files to its declarations. */
export function exportedDeclarations(file: string): Map<string, Declared> {
  const { program } = parseSync(file, readFileSync(file, 'utf8'));
  const found = new Map<string, Declared>();
  for (const statement of program.body)
    if (statement.type === 'ExportNamedDeclaration')
      for (const [name, declared] of declaredBy(statement, file)) found.set(name, declared);
  return found;
}

function declaredBy({ declaration, specifiers, source }: ExportNamedDeclaration, file: string): [string, Declared][] {
  if (declaration !== null) {
    const isClass = declaration.type === 'ClassDeclaration';
    return namesOf(declaration).map((local) => [local, { file, local, isClass }]);
  }
  const others = source === null ? undefined : exportedDeclarations(fileBeside(file, source.value));
  return specifiers.map(({ local, exported }) => {
    const name = textOf(local);
    return [textOf(exported), others?.get(name) ?? { file, local: name, isClass: false }];
  });
}

function namesOf(declaration: NonNullable<ExportNamedDeclaration['declaration']>): string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id.name] : [];
}

const textOf = (name: ModuleExportName): string => (name.type === 'Literal' ? name.value : name.name);
const ENTRIES = new Map(
  PACKAGES.flatMap((one) =>
    entriesOf(one).map(({ specifier, source }) => [specifier, join(one.folder, 'dist', `${source}.d.ts`)]),
  ),
);

const fileBeside = (file: string, specifier: string): string =>
  ENTRIES.get(specifier) ?? join(dirname(file), specifier).replace(/\.[jt]s$/, '.d.ts');

import { join } from 'node:path';
import { PACKAGES, entriesOf, isInternal } from '../../scripts/packages.mjs';

/** The package whose paths keep the names of the official SDK: they are listed, and described where their own names are. */
const FAMILIAR = '@crosspoint/sdk';

const ofPackage = (one) =>
  entriesOf(one).map(({ specifier, source }) => ({
    name: specifier,
    file: join(one.folder, 'dist', `${source}.d.ts`),
  }));

/** The entries of the packages: those with their own declarations, and the paths of the official SDK by name. */
export function packageEntries() {
  const isFamiliar = ({ name }) => name === FAMILIAR;
  return {
    own: PACKAGES.filter((one) => !isFamiliar(one))
      .flatMap(ofPackage)
      .filter(({ name }) => !isInternal(name)),
    familiar: PACKAGES.filter(isFamiliar)
      .flatMap(ofPackage)
      .map(({ name }) => name),
  };
}

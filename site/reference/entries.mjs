import { join } from 'node:path';
import { PACKAGES, entriesOf } from '../../scripts/packages.mjs';

/** The package whose paths keep the names of the official SDK: they are listed, and described where their own names are. */
const FAMILIAR = '@crosspoint/sdk';

const ofPackage = (one) =>
  entriesOf(one).map(({ specifier, source }) => ({
    name: specifier,
    file: join(one.folder, 'dist', `${source}.d.ts`),
  }));

/** What the packages can be imported as: entries with their declarations, and the familiar paths by name. */
export function packageEntries() {
  const isFamiliar = ({ name }) => name === FAMILIAR;
  return {
    own: PACKAGES.filter((one) => !isFamiliar(one)).flatMap(ofPackage),
    familiar: PACKAGES.filter(isFamiliar)
      .flatMap(ofPackage)
      .map(({ name }) => name),
  };
}

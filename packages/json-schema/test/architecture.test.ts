import { checkPackage } from '../../crosspoint/test/architecture/package-rules.ts';

const ROOT = [''];

checkPackage('@crosspoint/json-schema', {
  pattern: { values: ROOT },
  formats: { values: ['pattern', ...ROOT] },
  documents: { values: ['formats', 'meta', ...ROOT] },
  meta: { values: ROOT },
  compiler: { values: ['documents', 'formats', 'meta', 'pattern', ...ROOT] },
  libraries: { values: [] },
  '': { values: ['compiler', 'documents', 'formats', 'libraries', 'meta', 'pattern'] },
});

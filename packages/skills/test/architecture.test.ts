import { checkPackage } from '../../crosspoint/test/architecture/package-rules.ts';

checkPackage('@crosspoint/skills', {
  extension: { values: [] },
  server: { values: ['extension'] },
  client: { values: ['extension'] },
});

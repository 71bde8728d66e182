import { checkPackage } from '../../crosspoint/test/architecture/package-rules.ts';

checkPackage('@crosspoint/recording', { '': { values: [] } });

import { checkTable } from '../../../crosspoint/test/guard/table-checks.ts';
import { GATEWAY } from './gateway-callbacks.ts';
import { TABLE } from './table.ts';

checkTable({
  table: TABLE,
  drivers: new Set(Object.keys(GATEWAY)),
  isOwn: (file) => file.startsWith('gateway/'),
  // A member of options, and a function of an object that programs make themselves.
  samples: ['ChildrenOptions.onstderr', 'Upstream.connect'],
});

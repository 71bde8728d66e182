import { checkTable } from '../../../crosspoint/test/guard/table-checks.ts';
import { AGENT } from './agent-callbacks.ts';
import { HOST, PARTS } from './host-callbacks.ts';
import { MODELS } from './model-callbacks.ts';
import { TABLE } from './table.ts';
import { VIEW } from './view-callbacks.ts';

checkTable({
  table: TABLE,
  drivers: new Set([
    ...Object.keys(HOST),
    ...Object.keys(PARTS),
    ...Object.keys(VIEW),
    ...Object.keys(MODELS),
    ...Object.keys(AGENT),
  ]),
  isOwn: (file) => file.startsWith('host/'),
  // A member, a list of functions, a parameter, and a member of options that are written out in place.
  samples: [
    'HostOptions.openUrl',
    'HostOptions.responders',
    'Inbox.watch(listener)',
    'WatchedRoots.constructor(options.onchange)',
  ],
  // A store is that of the library; here it fails in the middle of the work of a host.
  extra: ['store.get', 'store.put'],
});

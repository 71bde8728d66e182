import { revision20251125 } from '../2025-11-25/index.ts';
import { errorsWithoutUrlElicitation } from '../2025-11-25/errors.ts';
import { writeResultWithoutTasks } from '../2025-11-25/results.ts';
import { older } from '../older.ts';
import { without } from '../reducer.ts';
import type { Revision } from '../revision.ts';
import { askInSimpleWords, withOneBlock } from './asks.ts';

/** The next newer revision, with the rules that are replaced rather than reduced. */
const newer: Revision = {
  ...revision20251125,
  ...errorsWithoutUrlElicitation,
  writeResult: writeResultWithoutTasks,
  unreadableId: null,
  argumentErrors: 'error',
};

export const revision20250618: Revision = older(newer, '2025-06-18', {
  methods: [
    'tasks/get',
    'tasks/result',
    'tasks/list',
    'tasks/cancel',
    'notifications/tasks/status',
    'notifications/elicitation/complete',
  ],
  listed: without('icons'),
  tool: without('execution'),
  content: without('icons'),
  implementation: without('icons', 'description', 'websiteUrl'),
  serverCapabilities: without('tasks'),
  results: { 'sampling/createMessage': withOneBlock },
  ask: askInSimpleWords,
});

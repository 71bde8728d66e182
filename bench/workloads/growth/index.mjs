// Every growth workload, in the order in which they are run and shown: `npm run bench -- growth`.
import { growthArguments, growthBytes } from './bytes.mjs';
import { growthClientCalls, growthHttpCalls, growthStdioCalls } from './calls.mjs';
import { growthHostCalls, growthHostLists, growthHostSearches } from './host.mjs';
import { growthMembers, growthPages } from './lists-and-schemas.mjs';
import { growthOffers, growthTools } from './offers.mjs';
import { growthSessions } from './sessions.mjs';
import { growthListens, growthStreams } from './streams.mjs';
import { growthTasks } from './tasks.mjs';

export const GROWTH = [
  growthSessions,
  growthStreams,
  growthListens,
  growthTools,
  growthOffers,
  growthBytes,
  growthArguments,
  growthStdioCalls,
  growthHttpCalls,
  growthClientCalls,
  growthTasks,
  growthPages,
  growthMembers,
  growthHostCalls,
  growthHostLists,
  growthHostSearches,
];

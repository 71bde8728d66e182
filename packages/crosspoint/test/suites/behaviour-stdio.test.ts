import { behaviour } from './behaviour.ts';
import { stdioSubjects } from './subjects.ts';

// The servers are child processes that run the build.
for (const subject of stdioSubjects) behaviour(subject);

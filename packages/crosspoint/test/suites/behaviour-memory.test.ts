import { behaviour } from './behaviour.ts';
import { memorySubjects } from './subjects.ts';

for (const subject of memorySubjects) behaviour(subject);

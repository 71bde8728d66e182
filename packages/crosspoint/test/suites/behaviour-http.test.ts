import { behaviour } from './behaviour.ts';
import { httpSubjects } from './subjects.ts';

for (const subject of httpSubjects) behaviour(subject);

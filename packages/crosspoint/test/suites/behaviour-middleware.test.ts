import { describe } from 'vitest';
import { behaviour } from './behaviour.ts';
import { middlewareSubjects } from './subjects.ts';

describe('with middleware on both sides', () => {
  for (const subject of middlewareSubjects) behaviour(subject);
});

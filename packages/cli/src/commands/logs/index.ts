import type { Command } from '../../grammar/command.ts';
import { level } from './level.ts';
import { tail } from './tail.ts';

export const logs: readonly Command[] = [tail, level];

import type { Command } from '../../grammar/command.ts';
import { types } from './types.ts';

export const gen: readonly Command[] = [types];

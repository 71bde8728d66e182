import type { Command } from '../../grammar/command.ts';
import { get } from './get.ts';
import { ls } from './ls.ts';

export const prompts: readonly Command[] = [ls, get];

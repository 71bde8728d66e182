import type { Command } from '../../grammar/command.ts';
import { call } from './call.ts';
import { ls } from './ls.ts';

export const tools: readonly Command[] = [ls, call];

import type { Command } from '../../grammar/command.ts';
import { call } from './call.ts';
import { get } from './get.ts';
import { ls } from './ls.ts';
import { search } from './search.ts';

export const tools: readonly Command[] = [ls, get, search, call];

import type { Command } from '../../grammar/command.ts';
import { ls } from './ls.ts';
import { read } from './read.ts';
import { templates } from './templates.ts';
import { watch } from './watch.ts';

export const resources: readonly Command[] = [ls, templates, read, watch];

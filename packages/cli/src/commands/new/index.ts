import type { Command } from '../../grammar/command.ts';
import { newCommand } from './new-project.ts';

export const newProject: readonly Command[] = [newCommand('server'), newCommand('client')];

import type { Command } from '../../grammar/command.ts';
import { accept } from './accept.ts';
import { add } from './add.ts';
import { convert, exportServers } from './convert.ts';
import { edit } from './edit.ts';
import { importServers } from './import.ts';
import { lint } from './lint.ts';
import { ls } from './ls.ts';
import { rm } from './rm.ts';
import { disable, enable } from './switch.ts';

export const servers: readonly Command[] = [
  ls,
  add,
  edit,
  rm,
  enable,
  disable,
  importServers,
  exportServers,
  convert,
  lint,
  accept,
];

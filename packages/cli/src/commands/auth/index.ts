import type { Command } from '../../grammar/command.ts';
import { debug } from './debug.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { status } from './status.ts';

export const auth: readonly Command[] = [login, status, logout, debug];

import { describe } from 'vitest';
import { testCells } from './cell-tests.ts';

describe('servers on the official SDKs', () => testCells(['one', 'two']));

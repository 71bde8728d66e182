import { describe } from 'vitest';
import { testCells } from './cell-tests.ts';

describe('the published server "everything"', () => testCells(['everything']));

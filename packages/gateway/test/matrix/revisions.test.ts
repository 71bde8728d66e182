import { describe } from 'vitest';
import { testCells } from './cell-tests.ts';
import { IS_WHOLE } from './is-whole.ts';

const ENDS = ['2024-11-05', '2026-07-28'];
const REVISIONS = IS_WHOLE ? ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] : ENDS;

describe('our server on each revision', () => testCells(REVISIONS.map((revision) => `ours:${revision}`)));

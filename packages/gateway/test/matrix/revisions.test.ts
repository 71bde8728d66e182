import { describe } from 'vitest';
import { testCells } from './cell-tests.ts';

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

describe('our server on each revision', () => testCells(REVISIONS.map((revision) => `ours:${revision}`)));

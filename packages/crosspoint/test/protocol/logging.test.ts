import { expect, it } from 'vitest';
import { LOG_LEVELS, isAtLeast, isLoggingLevel } from '../../src/protocol/logging.ts';
import { proves } from '../requirements/proves.ts';

proves('L-LOGGING-002, M-LOG-009').it('the levels are the eight syslog names, least severe first', () => {
  expect(LOG_LEVELS).toEqual(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']);
  for (const [i, level] of LOG_LEVELS.entries()) {
    expect(isLoggingLevel(level)).toBe(true);
    for (const [j, threshold] of LOG_LEVELS.entries())
      expect(isAtLeast(level, threshold), `${level} for ${threshold}`).toBe(i >= j);
  }
});

it.each(['warn', 'fatal', 'trace', 'DEBUG', '', 0, undefined, null])('%j is not a level', (value) => {
  expect(isLoggingLevel(value)).toBe(false);
});

import { type Budget, spend } from '../budget.ts';
import { isFormat } from '../formats/formats.ts';
import { type Check, refuse } from './check.ts';
import { invalid, type KeywordCompiler, readCount } from './schema-node.ts';

export const compileStringKeywords: KeywordCompiler = (node) => {
  const checks: Check[] = [];
  const { format, pattern } = node.schema;
  if (node.dialect.validation) {
    const min = readCount(node, 'minLength');
    const max = readCount(node, 'maxLength');
    if (min !== undefined && min > 0) checks.push(minLengthCheck(min));
    if (max !== undefined) checks.push(maxLengthCheck(max));
    if (pattern !== undefined) {
      if (typeof pattern !== 'string') throw invalid('pattern', 'a string');
      const matches = node.pattern(pattern);
      const message = `expected text that matches ${pattern.slice(0, 200)}`;
      checks.push((value, run) => typeof value !== 'string' || matches(value, run) || refuse(run, 'pattern', message));
    }
  }
  if (node.assertsFormat && typeof format === 'string') {
    const message = `expected a valid ${format}`;
    checks.push((value, run) => {
      if (typeof value !== 'string') return true;
      spend(run, format === 'regex' ? value.length : value.length >> 3);
      return isFormat(format, value) || refuse(run, 'format', message);
    });
  }
  return checks;
};

function minLengthCheck(min: number): Check {
  const message = `expected at least ${min} character${min === 1 ? '' : 's'}`;
  return (value, run) => {
    if (typeof value !== 'string') return true;
    // A code point takes one or two code units, so most lengths need no counting.
    if (value.length >= 2 * min) return true;
    if (value.length >= min && codePoints(value, run) >= min) return true;
    return refuse(run, 'minLength', message);
  };
}

function maxLengthCheck(max: number): Check {
  const message = `expected at most ${max} character${max === 1 ? '' : 's'}`;
  return (value, run) => {
    if (typeof value !== 'string' || value.length <= max) return true;
    if (value.length <= 2 * max && codePoints(value, run) <= max) return true;
    return refuse(run, 'maxLength', message);
  };
}

function codePoints(text: string, budget: Budget): number {
  spend(budget, text.length >> 3);
  let pairs = 0;
  for (let index = 0; index < text.length; index++) {
    const point = text.codePointAt(index) ?? 0;
    if (point > 0xffff) {
      pairs++;
      index++;
    }
  }
  return text.length - pairs;
}

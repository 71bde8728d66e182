import { spend } from '../budget.ts';
import { isMultipleOf } from '../multiple-of.ts';
import { type Check, refuse } from './check.ts';
import { invalid, type KeywordCompiler, readNumber, type SchemaNode } from './schema-node.ts';

export const compileNumberKeywords: KeywordCompiler = (node) => {
  if (!node.dialect.validation) return [];
  const checks: Check[] = [];
  addLower(node, checks);
  addUpper(node, checks);
  const divisor = readNumber(node, 'multipleOf');
  if (divisor !== undefined) {
    if (divisor <= 0) throw invalid('multipleOf', 'greater than 0');
    const message = `expected a multiple of ${divisor}`;
    checks.push((value, run) => {
      if (typeof value !== 'number') return true;
      if (!Number.isSafeInteger(value) || !Number.isSafeInteger(divisor)) spend(run, stepsPerDecimalDivision);
      return isMultipleOf(value, divisor) || refuse(run, 'multipleOf', message);
    });
  }
  return checks;
};

/** The cost of one exact division, whose numbers may have several hundred digits. */
const stepsPerDecimalDivision = 64;

/** Draft-04 wrote `exclusiveMinimum: true` beside `minimum`; read as such in the dialect that covers it. */
function isFlag(node: SchemaNode, keyword: string): boolean {
  return node.dialect.draft === 'draft-07' && typeof node.schema[keyword] === 'boolean';
}

function addLower(node: SchemaNode, checks: Check[]): void {
  const flagged = isFlag(node, 'exclusiveMinimum');
  const minimum = readNumber(node, 'minimum');
  const above = flagged
    ? node.schema['exclusiveMinimum'] === true
      ? minimum
      : undefined
    : readNumber(node, 'exclusiveMinimum');
  if (minimum !== undefined) {
    const message = `expected at least ${minimum}`;
    checks.push((value, run) => typeof value !== 'number' || value >= minimum || refuse(run, 'minimum', message));
  }
  if (above !== undefined) {
    const message = `expected more than ${above}`;
    checks.push((value, run) => typeof value !== 'number' || value > above || refuse(run, 'exclusiveMinimum', message));
  }
}

function addUpper(node: SchemaNode, checks: Check[]): void {
  const flagged = isFlag(node, 'exclusiveMaximum');
  const maximum = readNumber(node, 'maximum');
  const below = flagged
    ? node.schema['exclusiveMaximum'] === true
      ? maximum
      : undefined
    : readNumber(node, 'exclusiveMaximum');
  if (maximum !== undefined) {
    const message = `expected at most ${maximum}`;
    checks.push((value, run) => typeof value !== 'number' || value <= maximum || refuse(run, 'maximum', message));
  }
  if (below !== undefined) {
    const message = `expected less than ${below}`;
    checks.push((value, run) => typeof value !== 'number' || value < below || refuse(run, 'exclusiveMaximum', message));
  }
}

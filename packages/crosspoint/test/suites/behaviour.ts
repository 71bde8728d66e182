import { proves } from '../requirements/proves.ts';
import { askingCases } from './asking-cases.ts';
import { Bench } from './bench.ts';
import { flowCases } from './flow-cases.ts';
import { offersCases } from './offers-cases.ts';
import { openingCases } from './opening-cases.ts';
import type { Subject } from './subject.ts';
import { toolsCases } from './tools-cases.ts';
import { wireCases } from './wire-cases.ts';

/** What every revision does over every transport, in the words of the public API. */
export function behaviour(subject: Subject): void {
  proves('L-SDK-003, L-SDK-006').describe(subject.name, () => {
    const bench = new Bench(subject);
    openingCases(bench);
    toolsCases(bench);
    offersCases(bench);
    flowCases(bench);
    askingCases(bench);
    wireCases(bench);
  });
}

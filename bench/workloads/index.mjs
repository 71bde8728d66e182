// Every workload, in the order in which they are run and shown. A further one is a file of its own and a line here.
import { w1 } from './w1-http-handshake.mjs';
import { w2 } from './w2-http-per-request.mjs';
import { w3 } from './w3-http-session.mjs';
import { w4a, w4b } from './w4-stdio.mjs';
import { w5 } from './w5-memory.mjs';
import { w6 } from './w6-idle-sessions.mjs';
import { w7a, w7b } from './w7-start-up.mjs';
import { w8a, w8b, w8c } from './w8-size.mjs';
import { w9a, w9b } from './w9-big-results.mjs';
import { w10 } from './w10-long-list.mjs';
import { w11a, w11b } from './w11-fan-out.mjs';
import { w12a, w12b } from './w12-asking.mjs';
import { w13a, w13b } from './w13-tasks.mjs';
import { w14 } from './w14-shared-sessions.mjs';
import { w15 } from './w15-many-processes.mjs';
import { w16 } from './w16-many-in-flight.mjs';
import { b1a, b1b, b1c, b1d, b2a, b2b } from './bridges.mjs';
import { c1, c2 } from './c-command-line.mjs';
import { types } from './types.mjs';
import { GROWTH } from './growth/index.mjs';

/**
 * @typedef {object} Workload
 * @property {string} id
 * @property {string} title
 * @property {string} [note] a warning for readers who quote a figure
 * @property {{ key: string, title: string, better: 'more' | 'less' }[]} metrics
 * @property {string} [reference] the variant that the others are compared with
 * @property {{ label: string, subject: string }[]} variants
 * @property {(variant: object, settings: object) => Promise<object>} sample measures one variant once
 * @property {{ label: string, metric: string, text: string, judge: (rows: object[]) => object | undefined }[]} targets
 * @property {() => string | undefined} [unless] the reason why it cannot run here, if there is one
 * @property {boolean} [isOfFiles] whether it only reads files and starts no subject: two builds are then compared by their figures
 * @property {number} [rounds] the most rounds, for figures that hardly vary
 * @property {{ x: string, metric: string, title: string, unit: string }[]} [curves] draw them: the variants have an `x`
 */

/** @type {Workload[]} */
export const WORKLOADS = [
  w1,
  w2,
  w3,
  w4a,
  w4b,
  w5,
  w6,
  w7a,
  w7b,
  w8a,
  w8b,
  w8c,
  w9a,
  w9b,
  w10,
  w11a,
  w11b,
  w12a,
  w12b,
  w13a,
  w13b,
  w14,
  w15,
  w16,
  b1a,
  b1b,
  b1c,
  b1d,
  b2a,
  b2b,
  c1,
  c2,
  types,
  ...GROWTH,
];

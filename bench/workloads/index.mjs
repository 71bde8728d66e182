// Every workload, in the order in which they are run and shown. A further one is a file of its own and a line here.
import { w1 } from './w1-http-handshake.mjs';
import { w2 } from './w2-http-per-request.mjs';
import { w3 } from './w3-http-session.mjs';
import { w4a, w4b } from './w4-stdio.mjs';
import { w5 } from './w5-memory.mjs';

/**
 * @typedef {object} Workload
 * @property {string} id
 * @property {string} title
 * @property {string} [note] what to know before quoting a figure
 * @property {{ key: string, title: string, better: 'more' | 'less' }[]} metrics
 * @property {string} [reference] the variant that the others are compared with
 * @property {{ label: string, subject: string }[]} variants
 * @property {(variant: object, settings: object) => Promise<object>} sample measures one variant once
 * @property {{ label: string, metric: string, text: string, judge: (rows: object[]) => object | undefined }[]} targets
 * @property {number} [rounds] at most so many: for what hardly varies
 */

/** @type {Workload[]} */
export const WORKLOADS = [w1, w2, w3, w4a, w4b, w5];

/** For clients that pass on the requests of others, such as bridges. */
export { exchange } from './calls/exchange.ts';
export { pagesDone } from './calls/pages-done.ts';

/** For servers that stand for others, such as bridges and recorders. */
export { byCaller } from './callers/by-caller.ts';
export { headerFault } from './callers/argument-headers.ts';
export { cannotAsk } from './asking/cannot-ask.ts';
export { listenStreamOf } from './changes/listen-stream.ts';
export { sessionOf } from './session/session-of.ts';
export { tapMessages } from '../transports/tap-messages.ts';

/** `inMemory.js` of v1: two linked transports within one process. The same class as in `crosspoint/testing`. */
export { InMemoryTransport } from 'crosspoint/testing';

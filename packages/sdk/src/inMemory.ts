/** `inMemory.js` of the older SDK: two transports within one process. The same class as that of `crosspoint/testing`. */
export { InMemoryTransport } from 'crosspoint/testing';

// Loaded into every peer before it starts: it reaches nothing but loopback. So it is tried without accounts, sends no statistics, and gives the same
// answers on every machine.
import net from 'node:net';

// oxlint-disable-next-line typescript/unbound-method -- is only ever called with its socket
const connect = net.Socket.prototype.connect;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/i;

/** Where a socket is about to connect to; `undefined` for a path, which is on this machine. */
function hostOf([first, second]) {
  // `net.connect` passes its arguments on in an array of its own.
  if (Array.isArray(first)) return hostOf(first);
  if (typeof first === 'object' && first !== null)
    return first.path === undefined || first.port !== undefined ? (first.host ?? 'localhost') : undefined;
  if (!/^\d+$/.test(String(first))) return undefined;
  return typeof second === 'string' ? second : 'localhost';
}

net.Socket.prototype.connect = function connectOnLoopback(...args) {
  const host = hostOf(args);
  if (host === undefined || LOOPBACK.test(host)) return connect.apply(this, args);
  const error = Object.assign(new Error(`connect ENETUNREACH ${host}`), { code: 'ENETUNREACH', syscall: 'connect' });
  process.nextTick(() => this.destroy(error));
  return this;
};

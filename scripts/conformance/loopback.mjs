// Loaded into the suite before it starts: its mock servers, which ask for every interface, get the loopback one.
// They read their address right after `listen`, so the port has to be bound before it returns; naming a host would bind it later.
import net from 'node:net';

// oxlint-disable-next-line typescript/unbound-method -- is only ever called with its server
const listen = net.Server.prototype.listen;

function portOf([first]) {
  if (first === undefined || typeof first === 'function') return 0;
  if (typeof first === 'object') return first !== null && 'port' in first ? Number(first.port) : undefined;
  return /^\d+$/.test(String(first)) ? Number(first) : undefined;
}

net.Server.prototype.listen = function listenOnLoopback(...args) {
  const port = portOf(args);
  if (port === undefined) return listen.apply(this, args);
  const handle = net._createServerHandle('127.0.0.1', port, 4);
  if (typeof handle === 'number') {
    const error = Object.assign(new Error(`Port ${port} cannot be used.`), { code: 'EADDRINUSE' });
    process.nextTick(() => this.emit('error', error));
    return this;
  }
  const callback = args.at(-1);
  return typeof callback === 'function' ? listen.call(this, handle, callback) : listen.call(this, handle);
};

// Servers of this process listen on a free port of this machine and nowhere else, whatever they were told: some bridges listen on all interfaces.
import { Server } from 'node:net';

let tell;
/** The port of the first server. */
export const listening = new Promise((resolve) => (tell = resolve));

// oxlint-disable-next-line typescript/unbound-method -- called with the server below
const listen = Server.prototype.listen;
Server.prototype.listen = function (...args) {
  this.once('listening', () => tell(this.address().port));
  const callback = args.findLast((one) => typeof one === 'function');
  return listen.call(this, { port: 0, host: '127.0.0.1' }, ...(callback ? [callback] : []));
};

// The commands with which a measured process profiles itself; see subjects/host.mjs.
import { selfTime } from './self-time.mjs';

let session;

const post = (method, params) =>
  new Promise((resolve, reject) => {
    session.post(method, params, (error, result) => (error ? reject(error) : resolve(result)));
  });

export async function startProfile() {
  const { Session } = await import('node:inspector');
  session = new Session();
  session.connect();
  await post('Profiler.enable');
  await post('Profiler.setSamplingInterval', { interval: 200 });
  await post('Profiler.start');
}

export async function stopProfile() {
  const { profile } = await post('Profiler.stop');
  session.disconnect();
  return selfTime(profile);
}

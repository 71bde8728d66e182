import { bridgeOverHttp, bridgeOverStdio } from './bridge.mjs';
import { args, command, url } from './steps.mjs';

const GATEWAY = 'supergateway/dist/index.js';
if (url === undefined) {
  const server = ['--stdio', [command, ...args].join(' ')];
  const output = ['--outputTransport', 'streamableHttp', '--stateful', '--port'];
  await bridgeOverHttp(GATEWAY, (port) => [...server, ...output, port]);
} else await bridgeOverStdio(GATEWAY, ['--streamableHttp', url, '--logLevel', 'none']);

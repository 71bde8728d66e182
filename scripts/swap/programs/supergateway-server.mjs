import { serveBehind } from './behind.mjs';

serveBehind('supergateway/dist/index.js', (url) => ['--streamableHttp', url, '--logLevel', 'none']);

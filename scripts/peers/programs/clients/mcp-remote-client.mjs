import { bridgeOverStdio } from './bridge.mjs';
import { url } from './steps.mjs';

await bridgeOverStdio('mcp-remote/dist/proxy.js', [url, '--transport', 'http-only']);

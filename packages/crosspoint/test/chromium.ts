import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** As root, in a closed network, and with nothing to say to anybody. */
export const CHROMIUM_FLAGS: string[] = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The browser on the path; `undefined` where there is none, and then what needs it is skipped. */
export function findChromium(): string | undefined {
  const names = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'chromium'));
  return names.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

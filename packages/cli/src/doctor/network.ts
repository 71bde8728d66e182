import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { bad, good, skipped, warning, type Finding } from './finding.ts';
import type { AddressPatient } from './patient.ts';

const REACH_MS = 10_000;
const DAY = 24 * 60 * 60 * 1000;
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'] as const;

/** Requests go straight to the server: variables that name a proxy change nothing, unless Node is told to use them. */
export function examineProxy({ env }: AddressPatient): Finding {
  const set = PROXIES.filter((name) => (env[name] ?? '') !== '');
  if (set.length === 0) return skipped('proxy', 'No variable names a proxy.');
  if ((env['NODE_USE_ENV_PROXY'] ?? '') !== '')
    return good('proxy', `${set.join(', ')} is used (NODE_USE_ENV_PROXY is set).`);
  return warning(
    'proxy',
    `${set.join(', ')} is set, and Node does not use it: requests go straight to the server.`,
    'Where only the proxy reaches it, use Node 24 or later and set NODE_USE_ENV_PROXY=1.',
  );
}

/** Name, connection and certificate, one after the other. The first that is bad is the last that is tried. */
export async function examineNetwork({ reach, signal }: AddressPatient): Promise<Finding[]> {
  const url = new URL(reach.url);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const findings = [await examineName(host)];
  if (isBad(findings)) return findings;
  findings.push(await examineTcp(host, port, signal));
  if (isBad(findings)) return findings;
  findings.push(url.protocol === 'https:' ? await examineTls(host, port, signal) : examinePlain(host));
  return findings;
}

const isBad = (findings: readonly Finding[]): boolean => findings.at(-1)?.status === 'bad';

async function examineName(host: string): Promise<Finding> {
  if (isIP(host) !== 0) return skipped('dns', 'The address holds a number, and no name.');
  try {
    const found = await lookup(host, { all: true });
    return good('dns', `${host} is ${found.map(({ address }) => address).join(', ')}.`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isTemporary = code === 'EAI_AGAIN';
    return bad(
      'dns',
      `The name ${host} ${isTemporary ? 'could not be looked up' : 'does not exist'} (${code ?? 'unknown error'}).`,
      isTemporary
        ? 'Look at the network connection and the name server of this machine.'
        : 'Look for a typing error in the address; a name inside a company may need its VPN.',
    );
  }
}

function examineTcp(host: string, port: number, signal: AbortSignal): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port, timeout: REACH_MS });
    const done = (finding: Finding): void => {
      signal.removeEventListener('abort', onabort);
      socket.destroy();
      resolve(finding);
    };
    const onabort = (): void => done(bad('tcp', 'It was interrupted.', 'Try again.'));
    signal.addEventListener('abort', onabort, { once: true });
    socket.once('connect', () => done(good('tcp', `Port ${port} of ${host} takes connections.`)));
    socket.once('timeout', () =>
      done(
        bad(
          'tcp',
          `${host} said nothing at port ${port} for ${REACH_MS / 1000} s.`,
          'A firewall may be in the way; look at the port.',
        ),
      ),
    );
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      done(
        code === 'ECONNREFUSED'
          ? bad(
              'tcp',
              `Nothing listens at port ${port} of ${host}.`,
              'Start the server, or look at the port in the address.',
            )
          : bad(
              'tcp',
              `${host} cannot be reached at port ${port} (${code ?? 'unknown error'}).`,
              'Look at the network connection of this machine.',
            ),
      ),
    );
  });
}

/** Faults of certificates, by the code that Node gives them, with the remedy. */
const CERTIFICATE: Readonly<Record<string, readonly [says: string, remedy: string]>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'has signed its certificate itself, so nobody vouches for it',
    'For a server of your own, put its certificate into a file and set NODE_EXTRA_CA_CERTS=FILE. Never switch the check off.',
  ],
  SELF_SIGNED_CERT_IN_CHAIN: [
    'has a certificate of an authority that this machine does not know',
    'Get the certificate of that authority (a company often has its own) and set NODE_EXTRA_CA_CERTS=FILE.',
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'sends a certificate without those that vouch for it',
    'Configure the server to send its whole chain; until then, NODE_EXTRA_CA_CERTS=FILE adds the missing one.',
  ],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    'has a certificate of an authority that this machine does not know',
    'Get the certificate of that authority and set NODE_EXTRA_CA_CERTS=FILE.',
  ],
  CERT_HAS_EXPIRED: [
    'has a certificate that has expired',
    'The server needs a new certificate. Look at the clock of this machine as well.',
  ],
  CERT_NOT_YET_VALID: ['has a certificate that is not valid yet', 'Look at the clock of this machine.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'has a certificate for other names',
    'Use a name that the certificate has, or give the server a certificate for this one.',
  ],
};

function examineTls(host: string, port: number, signal: AbortSignal): Promise<Finding> {
  return new Promise((resolve) => {
    const socket: TLSSocket = connectTls({
      host,
      port,
      timeout: REACH_MS,
      ...(isIP(host) === 0 && { servername: host }),
    });
    const done = (finding: Finding): void => {
      signal.removeEventListener('abort', onabort);
      socket.destroy();
      resolve(finding);
    };
    const onabort = (): void => done(bad('tls', 'It was interrupted.', 'Try again.'));
    signal.addEventListener('abort', onabort, { once: true });
    socket.once('secureConnect', () => done(examineCertificate(socket, host)));
    socket.once('timeout', () =>
      done(
        bad(
          'tls',
          `${host} did not begin TLS within ${REACH_MS / 1000} s.`,
          'Look at the port: http:// and https:// have different ones.',
        ),
      ),
    );
    socket.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const [says, remedy] = CERTIFICATE[code ?? ''] ?? [];
      done(
        says !== undefined && remedy !== undefined
          ? bad('tls', `${host} ${says} (${code}).`, remedy)
          : bad(
              'tls',
              `TLS with ${host} failed: ${message}`,
              'Look whether the port speaks TLS at all: http:// and https:// have different ports.',
            ),
      );
    });
  });
}

function examineCertificate(socket: TLSSocket, host: string): Finding {
  const { valid_to: until } = socket.getPeerCertificate();
  const days = Math.floor((Date.parse(until) - Date.now()) / DAY);
  const words = `${socket.getProtocol() ?? 'TLS'}, and the certificate of ${host} is valid for ${days} days.`;
  return days < 14 ? warning('tls', words, 'Renew it before it ends.') : good('tls', words);
}

function examinePlain(host: string): Finding {
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.');
  return isLocal
    ? skipped('tls', 'The address begins with http://, on this machine.')
    : warning(
        'tls',
        'The address begins with http://: everybody on the way can read and change what is sent.',
        'Use https://.',
      );
}

// The folders that `npm run mutation` changes: the sources of each, and the tests near them.

/**
 * @typedef {object} Folder
 * @property {readonly string[]} sources globs from the root of the repository
 * @property {readonly string[]} tests those near the sources, quick ones first, without any that start programs of the built packages, where no change is
 * @property {boolean} [withoutStatic] leaves out changes that act when a module is loaded (tables, constants): each would need all tests, in a new worker
 */

const CORE = 'packages/crosspoint';
const HOST = 'packages/host';
const ISSUER = 'packages/authorization-server';

/** @type {Readonly<Record<string, Folder>>} */
export const FOLDERS = {
  sealing: {
    sources: [
      `${CORE}/src/server/asking/seals/*.ts`,
      `${CORE}/src/server/asking/replay/{ledger,own-ledger,round,round-keeper,round-state,stored-ledger,stored-run}.ts`,
      `${CORE}/src/server/stored/kept-states.ts`,
      `${CORE}/src/runtime/{base64url,secret}.ts`,
    ],
    tests: [
      `${CORE}/test/asking/{explicit,ledgers,nodes,repeated,rounds,sealed-state,seals}.test.ts`,
      `${CORE}/test/runtime/secret.test.ts`,
    ],
  },
  guards: {
    sources: [
      `${CORE}/src/transports/http/server/guards/*.ts`,
      `${CORE}/src/server/http/{client-address,host-validation}.ts`,
      `${CORE}/src/auth/outbound/*.ts`,
      `${CORE}/src/runtime/{guard,ip-address,loopback}.ts`,
    ],
    tests: [
      `${CORE}/test/http/{guard-parts,guards}.test.ts`,
      `${CORE}/test/auth/outbound/*.test.ts`,
      `${CORE}/test/protocol/guard.test.ts`,
      `${CORE}/test/runtime/ip-address.test.ts`,
    ],
  },
  limits: {
    sources: [
      `${CORE}/src/peer/{limiter,rate-limit,shared-limits}.ts`,
      `${CORE}/src/server/callers/{admission,caller,left-by,open-bytes,rough-size}.ts`,
      `${CORE}/src/client/answering/incoming-limits.ts`,
      `${CORE}/src/stores/{left-behind,shares}.ts`,
      `${CORE}/src/server/http/sessions/slots.ts`,
    ],
    tests: [
      `${CORE}/test/limits/counting.test.ts`,
      `${CORE}/test/peer/{limiter,rate-limit}.test.ts`,
      `${CORE}/test/server/limits.test.ts`,
      `${CORE}/test/http/limits.test.ts`,
    ],
  },
  consent: {
    withoutStatic: true,
    sources: [
      `${HOST}/src/consent/{annotations,approvals,decide,definition,matching,parse-policy,pins,pointer,policy}.ts`,
      `${HOST}/src/gate/*.ts`,
    ],
    tests: [`${HOST}/test/consent/{rules,decide,parse-policy,definition}.test.ts`, `${HOST}/test/gate/*.test.ts`],
  },
  stores: {
    withoutStatic: true,
    sources: [
      `${CORE}/src/stores/{channels,key-tree,lease,log-follower,memory,memory-records,races,store-unavailable-error}.ts`,
      `${CORE}/src/stores/{sqlite,sqlite-driver,sqlite-left,sqlite-messages,sqlite-schema}.ts`,
    ],
    tests: [`${CORE}/test/stores/{parts,lease,key-tree,sqlite,memory}.test.ts`],
  },
  auth: {
    withoutStatic: true,
    sources: [
      `${CORE}/src/auth/server/resource/*.ts`,
      `${CORE}/src/auth/client/{authorization-response,client-authentication}.ts`,
      `${CORE}/src/auth/{challenge,resource-identifier}.ts`,
      `${ISSUER}/src/issuing/{authorization-request,authorization-response,authorize-endpoint,grants,identity-assertion,token-endpoint}.ts`,
      `${ISSUER}/src/clients/{client-authentication,redirect-uri,client-scopes}.ts`,
    ],
    tests: [
      `${CORE}/test/auth/challenge.test.ts`,
      `${CORE}/test/auth/server/{resource-parts,dpop,metadata-router}.test.ts`,
      `${ISSUER}/test/{issuing-parts,identity-assertion}.test.ts`,
      `${CORE}/test/auth/client/{client-authentication,callback}.test.ts`,
      `${ISSUER}/test/{unattended-grants,authorization-server}.test.ts`,
      `${CORE}/test/auth/server/resource-server.test.ts`,
      `${CORE}/test/auth/client/attacks.test.ts`,
    ],
  },
};

/** The texts that a glob with one list in braces stands for. */
export function alternatives(glob) {
  const [, before, list, after] = /^(.*)\{(.*)\}(.*)$/.exec(glob) ?? [];
  return list === undefined ? [glob] : list.split(',').map((one) => `${before}${one}${after}`);
}

/** The place of a test file in the list of its folder. A run ends with the first test that fails, so quick files come first. */
export function placeOf(name, path) {
  const all = FOLDERS[name].tests.flatMap(alternatives);
  const place = all.findIndex((glob) => {
    const [start = '', end] = glob.split('*');
    return end === undefined ? path.endsWith(glob) : path.includes(start) && path.endsWith(end);
  });
  return place === -1 ? all.length : place;
}

/** The folders that a command line names; all of them where it names none. Throws for a name that there is not. */
export function chosen(names) {
  const wrong = names.find((name) => !Object.hasOwn(FOLDERS, name));
  if (wrong !== undefined) throw new Error(`${wrong} is no folder: choose of ${Object.keys(FOLDERS).join(', ')}.`);
  return names.length === 0 ? Object.keys(FOLDERS) : names;
}

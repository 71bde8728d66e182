/** The endpoints of authorization servers: no token without a login and consent, no redirect to an address that was not registered, no failure inside. */
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { fault, signed, verdict, within } from '../engine/verdict.mjs';
import { ISSUER, oauthCase, variedOauthCase } from '../inputs/oauth-cases.mjs';
import { textOf, valueOf } from '../inputs/text.mjs';
import { CALLBACK, HUB, PASSWORD, openAuthority } from '../subjects/authorities.mjs';

const ANSWER_MS = 5000;

export const target = {
  name: 'oauth',
  about: 'authorization servers, their proxy, the old router, and the server they protect',
  start: () => Promise.resolve({ generate: oauthCase, vary: variedOauthCase, run }),
};

async function run(input) {
  const signer = input.assertion && createSigner(input.assertion);
  const documents = filled(valueOf(input.documents ?? {}), signer?.key);
  const room = openAuthority(input.room, documents);
  const state = {
    signer,
    known: {},
    cookies: new Map(),
    redirects: new Set([CALLBACK, ...redirectsIn(Object.values(documents))]),
    hasLogin: false,
    hasConsent: false,
    hasAnswer: false,
  };
  const faults = [];
  const signs = [];
  const statuses = [];
  for (const step of input.steps) {
    const request = requestOf(step, state);
    if (request === undefined) continue;
    const body = step.form ?? [];
    if (body.some(([name, value]) => name === 'password' && value === PASSWORD)) state.hasLogin = true;
    if (body.some(([name, value]) => name === 'action' && value === 'approve')) state.hasConsent = true;
    if (body.some(([name]) => name === 'action')) state.hasAnswer = true;
    if (input.room === 'proxy' && step.path === '/callback') state.hasLogin = true;
    const response = await within(
      room.served.fetch(request).catch((error) => error),
      ANSWER_MS,
      undefined,
    );
    if (response === undefined)
      faults.push(fault('hang', `${step.method} ${step.path} was not answered in ${ANSWER_MS} ms`));
    else if (response instanceof Error) faults.push(fault('crash', `${step.method} ${step.path}: ${response.stack}`));
    else {
      const text = await within(response.text(), ANSWER_MS, '');
      learn(state, response, text);
      faults.push(...answerFaults(room, state, { step, response, text }));
      statuses.push(response.status);
      signs.push(`${step.path.slice(0, 10)}${response.status}${/"error":"(\w+)"/.exec(text)?.[1] ?? ''}`);
    }
  }
  for (const problem of room.problems)
    if (problem instanceof TypeError || problem instanceof RangeError)
      faults.push(fault('broken-rule', `reported: ${problem.stack?.split('\n').slice(0, 3).join(' ')}`));
  // A case that must get through would otherwise be clean because nothing got anywhere.
  if (input.statuses && String(input.statuses) !== String(statuses))
    faults.push(fault('broken-rule', `the statuses are ${statuses.join(', ')} and not ${input.statuses.join(', ')}`));
  await room.stop?.();
  return verdict(signed(input.room, signs), faults, { requests: input.steps.length });
}

/** A key of the case's own, whose `{{key.x}}` and `{{key.y}}` may stand in documents, and which signs what proves who a client is: `{{assertion}}`. */
function createSigner(claims) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return {
    key: { 'key.x': x, 'key.y': y },
    assertion(known) {
      const now = Math.floor(Date.now() / 1000);
      const body = filled({ jti: randomUUID(), iat: now, exp: now + 60, ...claims }, known);
      const text = `${encoded({ alg: 'ES256', kid: 'k' })}.${encoded(body)}`;
      return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    },
  };
}

const filled = (value, known = {}) => JSON.parse(textOf(JSON.stringify(value), known));

function requestOf({ method, path, query = [], headers = [], form, body }, { signer, known, cookies }) {
  try {
    if (signer) known.assertion = signer.assertion(known);
    const fill = (value) => textOf(typeof value === 'string' || Array.isArray(value) ? value : String(value), known);
    const url = new URL(`${ISSUER}${fill(path)}`);
    for (const [name, value] of query) url.searchParams.append(fill(name), fill(value));
    const given = new Headers({ origin: ISSUER, cookie: [...cookies].map((pair) => pair.join('=')).join('; ') });
    if (form) given.set('content-type', 'application/x-www-form-urlencoded');
    for (const [name, value] of headers) given.set(name, fill(value));
    const sent = form
      ? new URLSearchParams(form.map(([name, value]) => [fill(name), fill(value)])).toString()
      : body === undefined
        ? undefined
        : fill(body);
    const hasBody = sent !== undefined && !['GET', 'HEAD'].includes(method);
    return new Request(url, { method, headers: given, ...(hasBody && { body: sent }) });
  } catch {
    return undefined;
  }
}

function learn({ known, cookies, redirects }, response, text) {
  for (const cookie of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (name !== undefined) cookies.set(name, value);
  }
  const location = response.headers.get('location');
  if (location !== null && URL.canParse(location))
    for (const name of ['code', 'state']) known[name] = new URL(location).searchParams.get(name) ?? known[name];
  const token = /name="token" value="([^"]+)"/.exec(text)?.[1];
  if (token !== undefined) known.token = token;
  try {
    const json = JSON.parse(text);
    for (const name of ['client_id', 'client_secret', 'access_token', 'refresh_token'])
      if (typeof json[name] === 'string') known[name] = json[name];
    if (response.status === 201) for (const uri of redirectsIn([json])) redirects.add(uri);
  } catch {
    // A page.
  }
}

const redirectsIn = (documents) =>
  documents.flatMap((document) =>
    Array.isArray(document?.redirect_uris) ? document.redirect_uris.filter((uri) => typeof uri === 'string') : [],
  );

function answerFaults(room, state, { step, response, text }) {
  const faults = [];
  if (response.status >= 500 && response.status !== 503)
    faults.push(fault('server-error', `${step.method} ${step.path}: status ${response.status} ${text.slice(0, 200)}`));
  const mayHave = room.isAutomatic || (state.hasLogin && state.hasConsent);
  if (!mayHave && /"access_token"\s*:/.test(text) && response.status < 300)
    faults.push(fault('broken-rule', `a token without a login and consent at ${step.path}`));
  if (step.path === '/mcp' && response.status === 200 && !mayHave)
    faults.push(fault('broken-rule', 'the protected server served a stranger'));
  const location = response.headers.get('location');
  if (location !== null && !isKnownPlace(location, state.redirects))
    faults.push(fault('broken-rule', `sent to ${location.slice(0, 200)}, which was not registered`));
  // Anybody can register an address: to lead people away from their own machine takes more than a link with a mistake in it.
  const isOfStrangers =
    location !== null &&
    URL.canParse(location) &&
    !isLoopback(location) &&
    !isKnownPlace(location, new Set([CALLBACK]));
  if (isOfStrangers && new URL(location).searchParams.has('error') && !(state.hasLogin && state.hasAnswer))
    faults.push(fault('broken-rule', 'a failed request led to an address that anybody can register'));
  return faults;
}

const isLoopback = (address) => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(address).hostname);

function isKnownPlace(location, redirects) {
  if (!URL.canParse(location, ISSUER)) return false;
  const url = new URL(location, ISSUER);
  if (url.origin === ISSUER || url.origin === HUB) return true;
  return [...redirects].some((uri) => {
    if (!URL.canParse(uri)) return false;
    const known = new URL(uri);
    const isLocal = isLoopback(uri);
    return (
      known.protocol === url.protocol &&
      known.hostname === url.hostname &&
      known.pathname === url.pathname &&
      (isLocal || known.port === url.port)
    );
  });
}

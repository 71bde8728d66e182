import type { AuthorizationRequest } from '../issuing/authorization-request.ts';
import { isPublic } from '../clients/oauth-client.ts';
import { isLoopbackName } from 'crosspoint/internal';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem;color:#1c1c1c}' +
  'h1{font-size:1.4rem}label{display:block;margin:.8rem 0}input{font:inherit;width:100%;padding:.4rem;box-sizing:border-box}' +
  'button{font:inherit;padding:.5rem 1.2rem;margin:1rem .5rem 0 0}dt{font-weight:600}dd{margin:0 0 .6rem;overflow-wrap:anywhere}' +
  '.warning{border-left:4px solid #b35c00;padding-left:.8rem}.problem{color:#a00000}';

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.codePointAt(0) ?? 0};`);
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`;
}

/** A page with a message. */
export function messagePage(title: string, message: string): string {
  return page(title, `<p>${escapeHtml(message)}</p>`);
}

/** A page with a message and a link that names its target, which the person has to follow. */
export function goOnPage(title: string, message: string, url: string): string {
  const { host: name, protocol } = new URL(url);
  const host = escapeHtml(name || protocol);
  return page(
    title,
    `<p>${escapeHtml(message)}</p><p><a rel="noreferrer" href="${escapeHtml(url)}">Go back to ${host}</a></p>`,
  );
}

/** The login page. `asked` is absent when the login is for a page of this server. */
export function loginPage(asked: AuthorizationRequest | undefined, problem?: string): string {
  const told = problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>`;
  return page(
    'Log in',
    `${asked === undefined ? '' : `<p>to let <strong>${escapeHtml(nameOf(asked))}</strong> use <strong>${escapeHtml(asked.resource)}</strong>.</p>`}${told}` +
      '<form method="post"><input type="hidden" name="action" value="login">' +
      '<label>Name <input name="username" autocomplete="username" required autofocus></label>' +
      '<label>Password <input name="password" type="password" autocomplete="current-password" required></label>' +
      '<button>Log in</button></form>',
  );
}

export interface ConsentFacts {
  /** Proves that the form comes from this page. */
  readonly token: string;
  readonly person?: string | undefined;
  /** The upstream server and the scopes requested there. */
  readonly upstream?: { readonly name: string; readonly scopes: readonly string[] };
  readonly canSwitch?: boolean;
}

/** The consent page: names the program, its rights, and where the answer goes. */
export function consentPage(asked: AuthorizationRequest, { token, person, upstream, canSwitch }: ConsentFacts): string {
  const rows: [string, string][] = [
    ['Program', nameOf(asked)],
    ['May use', asked.resource],
    ['With the rights', asked.scopes.join(', ') || 'none in particular'],
  ];
  if (upstream) rows.push([`At ${upstream.name}`, upstream.scopes.join(', ') || 'none in particular']);
  rows.push(['The answer goes to', new URL(asked.redirectUri).host], ['Full address', asked.redirectUri]);
  if (person !== undefined) rows.push(['You are', person]);
  const list = rows.map(([term, text]) => `<dt>${escapeHtml(term)}</dt><dd>${escapeHtml(text)}</dd>`).join('');
  const buttons = ['approve', 'deny', ...(canSwitch ? ['switch'] : [])]
    .map((action) => `<button name="action" value="${action}">${BUTTONS[action] ?? action}</button>`)
    .join('');
  return page(
    'Allow access?',
    `<dl>${list}</dl>${warningOf(asked)}<form method="post"><input type="hidden" name="token" value="${escapeHtml(token)}">${buttons}</form>`,
  );
}

const BUTTONS: Readonly<Record<string, string>> = { approve: 'Allow', deny: 'Do not allow', switch: 'Another account' };

function nameOf({ client }: AuthorizationRequest): string {
  if (client.origin === 'document') return `${client.client_name ?? 'A program'} (${new URL(client.client_id).host})`;
  return client.client_name ?? client.client_id;
}

/** A public client on a port of the user's machine cannot prove its name, and a self-registered one has chosen it. */
function warningOf({ client, redirectUri }: AuthorizationRequest): string {
  const isLocal = isLoopbackName(new URL(redirectUri).hostname);
  if (!isLocal || (client.origin === 'configured' && !isPublic(client))) return '';
  return '<p class="warning">The answer goes to a program on your own computer, and any program there can claim this name. Go on only if you have just started it yourself.</p>';
}

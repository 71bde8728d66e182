import { explainAuth } from 'crosspoint/auth';
import { visibleLine } from '@crosspoint/host';
import { keptLogin } from '../place/logins.ts';
import { bad, good, skipped, warning, type Finding } from './finding.ts';
import type { AddressPatient } from './patient.ts';

/** The documents that tell clients where to log in, and the login that this user has. */
export async function examineLogin(patient: AddressPatient, wantsLogin: boolean): Promise<Finding[]> {
  if (patient.reach.headers !== undefined && hasAuthorization(patient.reach.headers))
    return [skipped('well-known', 'The configuration brings its own Authorization header.'), headerLogin(wantsLogin)];
  if (!wantsLogin)
    return [skipped('well-known', 'The server wants no login.'), skipped('login', 'The server wants no login.')];
  const { ok, steps, error } = await explainAuth(patient.reach.url);
  const documents = ok
    ? good('well-known', `A login can begin: ${steps.length} steps are right.`)
    : bad(
        'well-known',
        visibleLine(
          error?.message ?? steps.find(({ verdict }) => verdict === 'bad')?.explanation ?? 'No login can begin.',
        ),
        remedyFor(error),
      );
  return [documents, ...(ok ? [await kept(patient)] : [])];
}

function remedyFor(error: Error | undefined): string {
  if (error?.name === 'IssuerMismatchError' || error?.name === 'AuthorizationServerMismatchError')
    return 'The authorization server must name itself in its metadata exactly as it is named by the server (RFC 8414 section 3.3). Until it does, a login there is not safe.';
  return 'crosspoint auth debug SERVER shows each request and the rule behind it; the operator of the server has to mend the document.';
}

function hasAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

function headerLogin(wantsLogin: boolean): Finding {
  return wantsLogin
    ? bad(
        'login',
        'The server refuses the Authorization header of the configuration (401).',
        'Give it a new token; the old one may have expired.',
      )
    : good('login', 'The Authorization header of the configuration is taken.');
}

/** The login that is kept for this server. */
async function kept({ entry, reach, home }: AddressPatient): Promise<Finding> {
  const tokens = await keptLogin(entry.name, reach, home).tokens();
  if (tokens === undefined) return bad('login', 'Nobody has logged in yet.', 'crosspoint auth login SERVER logs in.');
  const isOver = tokens.expires_at !== undefined && tokens.expires_at <= Date.now();
  if (!isOver)
    return good('login', `The login at ${visibleLine(tokens.issuer ?? 'the authorization server')} is kept.`);
  return tokens.refresh_token === undefined
    ? bad(
        'login',
        'The token has expired, and there is nothing to renew it with.',
        'crosspoint auth login SERVER logs in again.',
      )
    : warning(
        'login',
        'The token has expired; it is renewed when it is used.',
        'Nothing to do where the next steps are good. Otherwise: crosspoint auth login SERVER.',
      );
}

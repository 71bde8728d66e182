import { target as client } from './client.mjs';
import { target as header } from './header.mjs';
import { target as http } from './http.mjs';
import { target as httpFetch } from './http-fetch.mjs';
import { target as login } from './login.mjs';
import { target as mask } from './mask.mjs';
import { target as ndjson } from './ndjson.mjs';
import { target as oauth } from './oauth.mjs';
import { target as pattern } from './pattern.mjs';
import { target as schema } from './schema.mjs';
import { target as sse } from './sse.mjs';
import { target as stdio } from './stdio.mjs';
import { target as uriTemplate } from './uri-template.mjs';

/** By name, in the order in which they are run. */
export const targets = Object.fromEntries(
  [http, httpFetch, stdio, client, oauth, login, schema, pattern, mask, uriTemplate, sse, ndjson, header].map(
    (target) => [target.name, target],
  ),
);

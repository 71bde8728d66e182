import { http as http20251125 } from './2025-11-25/http.ts';
import { http as http20260728 } from './2026-07-28/http.ts';
import type { HttpRules, Revision } from './revision.ts';

/** The rules of an older revision: those of the next newer one, but for these. */
function but(newer: HttpRules, differing: Partial<HttpRules>): HttpRules {
  return { ...newer, ...differing };
}

const http20250618: HttpRules = /* @__PURE__ */ but(http20251125, { polling: false });
const http20250326: HttpRules = /* @__PURE__ */ but(http20250618, { versionHeader: 'none' });
const http20241105: HttpRules = /* @__PURE__ */ but(http20250326, { streamable: false, sessions: false });

const rules: ReadonlyMap<string, HttpRules> = /* @__PURE__ */ new Map([
  ['2026-07-28', http20260728],
  ['2025-11-25', http20251125],
  ['2025-06-18', http20250618],
  ['2025-03-26', http20250326],
]);

/** The rules of a revision for HTTP. Apart from `Revision`, so that servers and clients over stdio do not carry it. */
export function httpOf({ id }: Revision): HttpRules {
  return rules.get(id) ?? http20241105;
}

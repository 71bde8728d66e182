import { describeUrl } from 'crosspoint/client';
import type { Asks } from '../inbox/item.ts';

/**
 * The `open` of a bridge that asks the user through the inbox first, with the whole address and its warnings. `openUrl` opens the page in the
 * user's browser; without it, the one who answers the question does.
 *
 * ```ts
 * new ViewBridge({ …, open: openWithConsent({ asks: inbox, server: 'shop', openUrl }) });
 * ```
 */
export function openWithConsent(options: {
  readonly asks: Asks;
  readonly server: string;
  readonly openUrl?: (url: string) => void | Promise<void>;
}): (given: string, during: { readonly signal: AbortSignal }) => Promise<boolean> {
  const { asks, server, openUrl } = options;
  return async (given, { signal }) => {
    const { url, host, warnings, openable } = describeUrl(given);
    if (!openable) return false;
    const question = { message: 'A link in a document of this server.', url, host, warnings };
    const reason = `A document of the server ${server} wants to open a page.`;
    const { action } = await asks.ask('url', question, { server, reason }, { signal });
    if (action !== 'accept') return false;
    await openUrl?.(url);
    return true;
  };
}

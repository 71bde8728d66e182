import { visibleLine, type AnswerTo, type InboxItem, type QuestionKind } from '@crosspoint/host';
import { openBrowser } from 'crosspoint/auth/node';
import { CliError } from '../errors/cli-error.ts';

export interface PageWays {
  /** Prints the address in place of opening a browser. */
  readonly noBrowser: boolean;
  /** Tells the user something, also with --quiet. */
  readonly say: (text: string) => void;
}

/** Opens the page that a question was about, after the user agreed to it. Where no browser can be opened, the user is told the address. Rejects for an address that is no web page. */
export async function openPage(
  item: InboxItem,
  { action }: AnswerTo<QuestionKind>,
  { noBrowser, say }: PageWays,
): Promise<void> {
  if ((item.kind !== 'url' && item.kind !== 'login') || (action !== 'accept' && action !== 'allow')) return;
  const page = new URL(item.question.url);
  if (page.protocol !== 'https:' && page.protocol !== 'http:')
    throw new CliError('denied', `The address ${visibleLine(page.href)} is no web page, so it is not opened.`, {
      hint: 'Decline it: a server has no reason to ask for anything but a web page.',
    });
  const isOpen = !noBrowser && (await openBrowser(page).catch(() => false));
  const words = isOpen ? 'Opened in your browser' : 'Open this address in your browser';
  say(`${words}:\n\n  ${visibleLine(item.question.url)}\n`);
}

import type { CatalogueTool } from '../catalogue/catalogue.ts';
import type { JsonObject } from '../values/json.ts';
import type { Journal } from './journal.ts';
import { endBefore, READ_RESULT, wholeText } from './result-text.ts';
import { refOf, type RunState } from './run-state.ts';

const REF = /^r([1-9]\d{0,8})$/;

/** The tool by which a model reads the rest of a result that was cut. It is shown from the first cut on. */
export const READ_RESULT_TOOL: CatalogueTool = {
  name: READ_RESULT,
  server: '',
  isForModel: true,
  isForApps: false,
  isStale: false,
  tool: {
    name: READ_RESULT,
    description: 'Reads on in an earlier result of this conversation that was cut, without calling its tool again.',
    inputSchema: {
      type: 'object',
      properties: {
        result: { type: 'string', description: 'The name of the result, as the note at its end gives it, such as r3' },
        offset: { type: 'integer', minimum: 0, description: 'The character to begin with; 0 when absent' },
      },
      required: ['result'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
};

export interface ReadText {
  readonly text: string;
  readonly isError: boolean;
  /** The server whose words they are. */
  readonly server?: string | undefined;
}

/** A part of a result, of at most `most` characters, and where it goes on. */
export async function readResult(
  args: JsonObject,
  { state, journal, most }: { readonly state: RunState; readonly journal: Journal; readonly most: number },
): Promise<ReadText> {
  const { result: ref, offset = 0 } = args;
  const number = Number(typeof ref === 'string' ? REF.exec(ref)?.[1] : undefined);
  const kept = state.uses[number - 1]?.result;
  if (kept === undefined || typeof offset !== 'number' || !Number.isInteger(offset) || offset < 0)
    return {
      text: `${READ_RESULT} needs the name of a result, as {"result": "r1", "offset": 0}.`,
      isError: true,
    };
  const whole = kept.whole === undefined ? wholeText(kept.content) : await journal.whole(number);
  if (whole === undefined) return { text: `The rest of ${refOf(number)} is not kept any more.`, isError: true };
  if (offset >= whole.length)
    return {
      text: `${refOf(number)} has ${whole.length} characters: there is nothing after ${offset}.`,
      isError: true,
    };
  const end = endBefore(whole, Math.min(whole.length, offset + most));
  const rest =
    end < whole.length
      ? `\n[Characters ${offset} to ${end} of ${whole.length}. The offset ${end} reads on.]`
      : `\n[The end, after ${whole.length} characters.]`;
  return { text: `${whole.slice(offset, end)}${rest}`, isError: false, server: kept.server };
}

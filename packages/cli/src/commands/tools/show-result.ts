import type { CallToolResult } from 'crosspoint/client';
import type { CommandContext } from '../../context.ts';
import type { Ending } from '../../errors/exit-codes.ts';

/** Prints the result of a call. `failed` where the tool failed. */
export async function showResult(result: CallToolResult, { output }: Pick<CommandContext, 'output'>): Promise<Ending> {
  if (output.isJson) output.result(result, () => '');
  else {
    const { resultText } = await import('./result-text.ts');
    output.result(result, () => resultText(result));
  }
  return result.isError === true ? 'failed' : 'ok';
}

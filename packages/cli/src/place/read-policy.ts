import { parsePolicy, type Policy } from '@crosspoint/host';
import { CliError } from '../errors/cli-error.ts';
import { readText } from './edit-file.ts';
import type { Home } from './home.ts';
import { errorMessage } from '../errors/as-error.ts';

/** A policy and the file that it stands in. */
export interface PolicyInForce {
  readonly policy: Policy;
  /** Absent where there is no file: every call is asked about. */
  readonly file?: string;
  /** Whether the administrators of the machine wrote it. The user's own is not used then. */
  readonly isManaged: boolean;
}

/** The policy that counts: that of the administrators, or else the user's. Rejects where it has a fault: nothing is called then. */
export async function readPolicy(home: Pick<Home, 'policyFile' | 'managedPolicyFile'>): Promise<PolicyInForce> {
  for (const file of [home.managedPolicyFile, home.policyFile]) {
    const text = await readText(file);
    if (text !== undefined) return { policy: parsed(file, text), file, isManaged: file === home.managedPolicyFile };
  }
  return { policy: {}, isManaged: false };
}

function parsed(file: string, text: string): Policy {
  try {
    return parsePolicy(text);
  } catch (error) {
    throw new CliError('usage', `The policy ${file} cannot be used: ${errorMessage(error)}`, {
      hint: 'crosspoint policy check tells what is wrong with it. Until it is right, nothing is called.',
      cause: error,
    });
  }
}

import { converse } from './conversation.ts';
import { examineCommand } from './command.ts';
import { STEPS, skipped, type Finding, type StepName } from './finding.ts';
import { examineLogin } from './login.ts';
import { examineNetwork, examineProxy } from './network.ts';
import { examineOffers } from './offers.ts';
import { isAddress, isCommand, type AddressPatient, type Patient } from './patient.ts';
import { examineHttp } from './web.ts';

const FOR_COMMANDS: readonly StepName[] = ['command'];
const FOR_ADDRESSES: readonly StepName[] = ['proxy', 'dns', 'tcp', 'tls', 'http', 'well-known', 'login'];

/** Examines a server step by step, and tells each finding as it comes. Steps that stand on a bad one are skipped. */
export async function examine(patient: Patient, tell: (finding: Finding) => void): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const add = (...found: readonly Finding[]): boolean => {
    for (const finding of found) {
      findings.push(finding);
      tell(finding);
    }
    return found.every(({ status }) => status !== 'bad');
  };
  const isReachable = isCommand(patient)
    ? add(examineCommand(patient))
    : isAddress(patient) && (await examineAddress(patient, add));
  if (isReachable) {
    const { findings: heard, listing } = await converse(patient);
    add(...heard);
    if (listing !== undefined) add(...examineOffers(patient.entry.name, listing));
  }
  const done = new Set(findings.map(({ step }) => step));
  const others = isCommand(patient) ? FOR_ADDRESSES : FOR_COMMANDS;
  const left = STEPS.filter((step) => step !== 'configuration' && !done.has(step) && !others.includes(step));
  add(...left.map((step) => skipped(step, 'Not tried, because of what was found before.')));
  return findings;
}

async function examineAddress(
  patient: AddressPatient,
  add: (...found: readonly Finding[]) => boolean,
): Promise<boolean> {
  add(examineProxy(patient));
  if (!add(...(await examineNetwork(patient)))) return false;
  const { finding, wantsLogin } = await examineHttp(patient);
  if (!add(finding)) return false;
  return add(...(await examineLogin(patient, wantsLogin)));
}

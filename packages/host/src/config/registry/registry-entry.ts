import type { InputDefinition, ServerEntry } from '../server-entry.ts';
import type { DocumentProblem } from '../document-problem.ts';

/** One or two arguments of a command line that belong together, such as `-e` and its value. Texts hold `${input:…}`. */
export interface ArgumentGroup {
  readonly texts: readonly string[];
  /** Whether the group is repeated for every value of its lists. */
  readonly isRepeated: boolean;
  /** The variable of the environment that it passes on: without a value for it, the group is left out. */
  readonly variable?: string;
}

/** A command that has to run before an address can be reached. */
export interface Launch {
  readonly command: string;
  readonly groups: readonly ArgumentGroup[];
  readonly env: Readonly<Record<string, string>>;
}

/** One way to run or reach the server of a document. */
export interface RegistryEntry {
  /** Where the package comes from, or `remote`. */
  readonly kind: 'npm' | 'pypi' | 'oci' | 'nuget' | 'remote';
  /** Its texts hold `${input:…}`; `registryReach` gives the final ones. */
  readonly entry: ServerEntry;
  readonly inputs: readonly InputDefinition[];
  /** The command in groups; the process of the server, or what has to run before its address answers. Absent for remotes. */
  readonly launch?: Launch;
}

/** A bundle that a document names. It is downloaded by the program, held against its hash with `checkedDownload`, and then read with `readBundle`. */
export interface RegistryBundle {
  readonly url: string;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  readonly version?: string;
  /** JSON pointer into the document. */
  readonly pointer: string;
}

export interface RegistryReading {
  /** Every way that can be offered, in the order of the document: packages, then remotes. */
  readonly entries: readonly RegistryEntry[];
  readonly bundles: readonly RegistryBundle[];
  readonly problems: readonly DocumentProblem[];
}

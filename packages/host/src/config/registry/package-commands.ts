import type { JsonObject } from '../../values/json.ts';
import type { ArgumentGroup } from './registry-entry.ts';
import { shown, type ProblemList } from './problem-list.ts';

type Path = readonly (string | number)[];

/** The runner of a package and how its command line begins, around the arguments of the document. */
export interface PackageCommand {
  readonly kind: 'npm' | 'pypi' | 'oci' | 'nuget';
  readonly command: string;
  /** Before the arguments of the runner. */
  readonly first: readonly string[];
  /** Between the arguments of the runner and those of the package. */
  readonly middle: readonly string[];
  /** Stands before the arguments of the package where there are any. */
  readonly separator?: string;
  /** Whether the variables of the environment have to be passed on by name. */
  readonly passesVariables?: boolean;
}

const RUNNERS: Readonly<Record<PackageCommand['kind'], readonly string[]>> = {
  npm: ['npx', 'bunx'],
  pypi: ['uvx', 'pipx'],
  oci: ['docker', 'podman'],
  nuget: ['dnx'],
};

const DEFAULT_REGISTRIES: Readonly<Record<PackageCommand['kind'], RegExp>> = {
  npm: /^https:\/\/registry\.npmjs\.org\/?$/,
  pypi: /^https:\/\/pypi\.org(?:\/simple)?\/?$/,
  oci: /^https:\/\/(?:docker\.io|ghcr\.io|quay\.io|mcr\.microsoft\.com|[a-z0-9-]{1,60}\.(?:pkg\.dev|azurecr\.io))\/?$/,
  nuget: /^https:\/\/api\.nuget\.org(?:\/v3\/index\.json)?\/?$/,
};

const NAMES: Readonly<Record<PackageCommand['kind'], RegExp>> = {
  npm: /^(?:@[a-z0-9~][a-z0-9._~-]{0,100}\/)?[a-z0-9~][a-z0-9._~-]{0,200}$/i,
  pypi: /^[a-z0-9](?:[a-z0-9._-]{0,200}[a-z0-9])?$/i,
  oci: /^[a-z0-9][\w./:-]{0,300}(?:@sha256:[0-9a-f]{64})?$/i,
  nuget: /^[a-z0-9][a-z0-9._-]{0,200}$/i,
};

/** A version that names one release: no range, no tag that moves. */
const PINNED = /^v?\d[0-9A-Za-z.+_-]{0,100}$/;
const WILDCARD = /(?:^|\.)[xX](?:\.|$)/;
const REMEDIES: ReadonlyMap<unknown, string> = new Map([
  ['cargo', 'Install it with cargo, and add the program that it installs by hand.'],
  ['go', 'Install it with go, and add the program that it installs by hand.'],
]);

/** How the package of a document is run, without a shell and with its version; `undefined`, and a problem, where that is not possible. */
export function packageCommand(one: JsonObject, path: Path, problems: ProblemList): PackageCommand | undefined {
  const { registryType, identifier, version, runtimeHint, registryBaseUrl } = one;
  if (!isKind(registryType)) {
    const remedy = REMEDIES.get(registryType) ?? 'Update this program, or add the server by hand.';
    problems.error(`Packages of the kind ${shown(registryType)} cannot be run from here. ${remedy}`, [
      ...path,
      'registryType',
    ]);
    return undefined;
  }
  if (typeof identifier !== 'string' || !NAMES[registryType].test(identifier)) {
    problems.error(`The name ${shown(identifier)} is not one of a package of ${registryType}.`, [
      ...path,
      'identifier',
    ]);
    return undefined;
  }
  const pinned = registryType === 'oci' ? pinnedImage(identifier, version) : pinnedVersion(version);
  if (pinned === undefined) {
    problems.error(
      `The package is not offered, because its version ${shown(version)} is not a single release. Ask its author to name one.`,
      [...path, 'version'],
    );
    return undefined;
  }
  if (
    registryBaseUrl !== undefined &&
    !(typeof registryBaseUrl === 'string' && DEFAULT_REGISTRIES[registryType].test(registryBaseUrl))
  ) {
    problems.error(
      `The package is in the registry ${shown(registryBaseUrl)}, which is not used from a document. Add the server by hand if you trust it.`,
      [...path, 'registryBaseUrl'],
    );
    return undefined;
  }
  const runner = runtimeHint ?? RUNNERS[registryType][0];
  if (typeof runner !== 'string' || !RUNNERS[registryType].includes(runner)) {
    problems.error(
      `The program ${shown(runner)} is not known to run packages of ${registryType}: ${RUNNERS[registryType].join(' or ')} is. Add the server by hand if you trust it.`,
      [...path, 'runtimeHint'],
    );
    return undefined;
  }
  return commandOf(registryType, runner, identifier, pinned);
}

const isKind = (value: unknown): value is PackageCommand['kind'] =>
  typeof value === 'string' && Object.hasOwn(RUNNERS, value);

function pinnedVersion(version: unknown): string | undefined {
  return typeof version === 'string' && PINNED.test(version) && !WILDCARD.test(version) ? version : undefined;
}

/** The whole reference of an image. Newer documents have the tag in the name, older ones the version beside it. */
function pinnedImage(identifier: string, version: unknown): string | undefined {
  if (identifier.includes('@sha256:')) return identifier;
  const tag = /:([^:/]+)$/.exec(identifier)?.[1];
  if (tag === undefined) return pinnedVersion(version) === undefined ? undefined : `${identifier}:${String(version)}`;
  return tag === 'latest' || (typeof version === 'string' && version !== tag) ? undefined : identifier;
}

function commandOf(kind: PackageCommand['kind'], runner: string, name: string, pinned: string): PackageCommand {
  switch (kind) {
    case 'npm':
      return { kind, command: runner, first: runner === 'npx' ? ['-y'] : [], middle: [`${name}@${pinned}`] };
    case 'pypi':
      return runner === 'pipx'
        ? { kind, command: runner, first: ['run', '--spec', `${name}==${pinned}`], middle: [name] }
        : { kind, command: runner, first: [], middle: [`${name}@${pinned}`] };
    case 'oci':
      return { kind, command: runner, first: ['run', '-i', '--rm'], middle: [pinned], passesVariables: true };
    case 'nuget':
      return { kind, command: runner, first: [`${name}@${pinned}`, '--yes'], middle: [], separator: '--' };
  }
}

/**
 * Options that a document may give a runner. All others are refused, because runners take abbreviations and several letters at once: `--cal` starts a shell
 * as `--call` does, and after an option that takes a value the name of the package is that value, and something else is run.
 */
const KNOWN_OPTIONS: Readonly<Record<Exclude<PackageCommand['kind'], 'oci'>, RegExp>> = {
  npm: /^(?:-y|--yes|-q|--quiet|-s|--silent|--bun|--offline|--prefer-offline|--prefer-online|--no-audit|--no-fund|--loglevel=[a-z]{1,20})$/,
  pypi: /^(?:-q|--quiet|-n|--no-cache|--isolated|--offline|--refresh|--no-progress|--no-config|--python=[0-9.]{1,20})$/,
  nuget: /^(?:-y|--yes|--verbosity=[a-z]{1,20})$/,
};
/** Options of `docker run` and `podman run` that stand alone. */
const CONTAINER_FLAGS =
  /^(?:-[ditPq]{1,5}|--(?:rm|init|interactive|tty|detach|quiet|privileged|read-only|publish-all|no-healthcheck))$/;
const CONTAINER_OPTION = /^--[a-z][a-z-]{0,40}=/;
/** Short options that take a value. After any other, the value would be the image. */
const SHORT_WITH_VALUE = ['-a', '-c', '-e', '-h', '-l', '-m', '-p', '-u', '-v', '-w'];
/** Options that run another program in the image, or read files of this machine. */
const REFUSED_OPTION = /^--(?:entrypoint|env-file|label-file|cidfile|rootfs|gidmap|uidmap|hooks-dir)=/;
/** Options that take much of the walls of a container away. */
const RISKY_OPTION =
  /^(?:-v|--(?:privileged|cap-add|device|security-opt|pid|ipc|userns|uts|network|net|volume|mount|volumes-from))(?:=|$)/;

/**
 * The arguments that the document has for the runner, without those that are there anyway; `undefined`, and a problem, where one of them could run something
 * else than the package.
 */
export function runnerGroups(
  groups: readonly ArgumentGroup[],
  { kind, first }: PackageCommand,
  path: Path,
  problems: ProblemList,
): readonly ArgumentGroup[] | undefined {
  const kept = groups.filter(({ texts }) => !(texts.length === 1 && first.includes(texts[0] ?? '')));
  for (const { texts } of kept) {
    const isKnown =
      kind === 'oci' ? isContainerOption(texts) : texts.length === 1 && KNOWN_OPTIONS[kind].test(texts[0] ?? '');
    if (!isKnown) {
      problems.error(
        `The package is not offered, because ${shown(texts.join(' '))} before its name could run something else, or a shell. Add the server by hand if you trust it.`,
        path,
      );
      return undefined;
    }
    if (kind === 'oci' && RISKY_OPTION.test(texts[0] ?? ''))
      problems.warning(`The container gets more of this machine than others: ${shown(texts.join(' '))}.`, path);
  }
  return kept;
}

function isContainerOption([option = '', ...value]: readonly string[]): boolean {
  if (value.length > 0) return SHORT_WITH_VALUE.includes(option);
  return CONTAINER_FLAGS.test(option) || (CONTAINER_OPTION.test(option) && !REFUSED_OPTION.test(option));
}

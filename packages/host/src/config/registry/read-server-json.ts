import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import { pointerOf } from '../document-problem.ts';
import type { ConfigScope, Reach, ServerEntry } from '../server-entry.ts';
import { argumentGroups, isHeaderName, isVariableName } from './document-arguments.ts';
import { DocumentInputs, PARTS_OF_REFERENCES } from './document-inputs.ts';
import { packageCommand, runnerGroups, type PackageCommand } from './package-commands.ts';
import { ProblemList, shown } from './problem-list.ts';
import type { ArgumentGroup, Launch, RegistryBundle, RegistryEntry, RegistryReading } from './registry-entry.ts';

type Path = readonly (string | number)[];

const NAME = /^[a-zA-Z0-9.-]{1,150}\/([a-zA-Z0-9._-]{1,150})$/;
const SHA256 = /^[0-9a-f]{64}$/;
const MAX_WAYS = 50;
const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const OLDER_MEMBERS = [
  'registry_type',
  'registry_name',
  'transport_type',
  'environment_variables',
  'package_arguments',
];

export interface ServerJsonOptions {
  /** Absolute path of the file that the document was read from. */
  readonly file?: string;
  /** `user` by default. */
  readonly scope?: ConfigScope;
}

/**
 * Every way to run or reach the server that a `server.json` of the registry describes. Nothing is downloaded or started. Commands name one release of their
 * package and use no shell; what cannot be offered is in `problems`, with a remedy.
 *
 * ```ts
 * const { entries, problems } = entriesOfServerJson(JSON.parse(text));
 * const [way] = entries;
 * const reach = registryReach(way, await values.all(way.inputs, from));
 * ```
 */
export function entriesOfServerJson(document: Json, options: ServerJsonOptions = {}): RegistryReading {
  return new ServerJsonReader(document, options).read();
}

class ServerJsonReader {
  readonly #list = new ProblemList();
  readonly #entries: RegistryEntry[] = [];
  readonly #bundles: RegistryBundle[] = [];
  readonly #document: Json;
  readonly #options: ServerJsonOptions;
  #name = '';
  #other: NonNullable<ServerEntry['other']> = {};

  constructor(document: Json, options: ServerJsonOptions) {
    this.#document = document;
    this.#options = options;
  }

  read(): RegistryReading {
    const top = this.#document;
    const isWrapped = isObject(top) && isObject(top['server']);
    const server = isWrapped ? top['server'] : top;
    const path = isWrapped ? ['server'] : [];
    if (isObject(server)) this.#server(server, path);
    else this.#list.error('The document is not a JSON object.', []);
    if (isObject(top)) this.#status(top);
    return { entries: this.#entries, bundles: this.#bundles, problems: this.#list.problems };
  }

  #server(server: JsonObject, path: Path): void {
    const { name, title, description, version } = server;
    const found = typeof name === 'string' ? NAME.exec(name) : null;
    if (found === null)
      return this.#list.error(`The name ${shown(name)} has to be a namespace and a name with a slash between them.`, [
        ...path,
        'name',
      ]);
    this.#name = found[1] ?? '';
    this.#other = Object.fromEntries(
      Object.entries({ registryName: name, title, description, version }).filter(
        ([, value]) => typeof value === 'string',
      ),
    ) as Record<string, Json>;
    for (const [key, read] of [
      ['packages', (one: JsonObject, at: Path) => this.#package(one, at)],
      ['remotes', (one: JsonObject, at: Path) => this.#remote(one, at)],
    ] as const) {
      const list = server[key] ?? [];
      if (!Array.isArray(list)) this.#list.error('It has to be a list.', [...path, key]);
      else if (list.length > MAX_WAYS) this.#list.error(`It has more than ${MAX_WAYS} members.`, [...path, key]);
      else for (const [at, one] of (list as readonly Json[]).entries()) this.#one(one, [...path, key, at], read);
    }
    if (this.#entries.length + this.#bundles.length === 0)
      this.#list.error('The document has no way to run or reach the server that can be offered here.', path);
  }

  #one(one: Json, path: Path, read: (one: JsonObject, path: Path) => void): void {
    if (!isObject(one)) return this.#list.error('It has to be an object.', path);
    const older = OLDER_MEMBERS.find((member) => Object.hasOwn(one, member));
    if (older !== undefined)
      return this.#list.error(
        `The member ${older} is of an older form of these documents. Get the document from the registry again.`,
        [...path, older],
      );
    read(one, path);
  }

  #status(top: JsonObject): void {
    const meta = isObject(top['_meta']) ? top['_meta'][OFFICIAL] : undefined;
    const status = isObject(meta) ? meta['status'] : top['status'];
    if (status === 'deprecated' || status === 'deleted')
      this.#list.warning(`The registry says that this server is ${status}.`, []);
  }

  #entry(reach: Reach, path: Path): ServerEntry {
    const { file, scope = 'user' } = this.#options;
    return {
      name: this.#name,
      reach,
      origin: { format: 'registry', scope, ...(file !== undefined && { file }), pointer: pointerOf(...path) },
      other: this.#other,
    };
  }

  #package(one: JsonObject, path: Path): void {
    if (one['registryType'] === 'mcpb') return this.#bundle(one, path);
    const command = packageCommand(one, path, this.#list);
    if (command === undefined) return;
    const inputs = new DocumentInputs(this.#list);
    const launch = this.#launch(one, command, inputs, path);
    if (launch === undefined) return;
    const transport = isObject(one['transport']) ? one['transport'] : {};
    const { kind } = command;
    if (transport['type'] === 'stdio') {
      const { groups, env } = launch;
      const reach: Reach = { type: 'stdio', command: launch.command, args: groups.flatMap(({ texts }) => texts), env };
      this.#entries.push({ kind, entry: this.#entry(reach, path), inputs: inputs.inputs, launch });
      return;
    }
    const own = ownVariables(one, inputs);
    const reach = this.#address(transport, inputs, [...path, 'transport'], (url) => {
      const text = inputs.filledIn(url, {}, { name: '', path, isList: false })?.text;
      return text === undefined ? undefined : own(text);
    });
    if (reach === undefined) return;
    this.#list.warning(
      'The package listens at an address: its command has to run before the server can be reached.',
      path,
    );
    this.#entries.push({ kind, entry: this.#entry(reach, path), inputs: inputs.inputs, launch });
  }

  #launch(one: JsonObject, command: PackageCommand, inputs: DocumentInputs, path: Path): Launch | undefined {
    const env = this.#pairs(one['environmentVariables'], inputs, [...path, 'environmentVariables'], isVariableName);
    const ofRunner = argumentGroups(one['runtimeArguments'], inputs, [...path, 'runtimeArguments'], this.#list);
    const ofPackage = argumentGroups(one['packageArguments'], inputs, [...path, 'packageArguments'], this.#list);
    if (env === undefined || ofRunner === undefined || ofPackage === undefined) return undefined;
    const runner = runnerGroups(ofRunner, command, [...path, 'runtimeArguments'], this.#list);
    if (runner === undefined) return undefined;
    const fixed = (texts: readonly string[]): ArgumentGroup[] =>
      texts.map((text) => ({ texts: [text], isRepeated: false }));
    const passed =
      command.passesVariables === true
        ? Object.keys(env).map((name) => ({ texts: ['-e', name], isRepeated: false, variable: name }))
        : [];
    const separator = command.separator !== undefined && ofPackage.length > 0 ? [command.separator] : [];
    return {
      command: command.command,
      groups: [
        ...fixed(command.first),
        ...passed,
        ...runner,
        ...fixed(command.middle),
        ...fixed(separator),
        ...ofPackage,
      ],
      env,
    };
  }

  #remote(one: JsonObject, path: Path): void {
    const inputs = new DocumentInputs(this.#list);
    const variables = isObject(one['variables']) ? one['variables'] : {};
    const reach = this.#address(
      one,
      inputs,
      path,
      (url) => inputs.filledIn(url, variables, { name: '', path, isList: false })?.text,
    );
    if (reach !== undefined)
      this.#entries.push({ kind: 'remote', entry: this.#entry(reach, path), inputs: inputs.inputs });
  }

  #address(
    transport: JsonObject,
    inputs: DocumentInputs,
    path: Path,
    fill: (url: string) => string | undefined,
  ): Reach | undefined {
    const { type, url, headers } = transport;
    if (type !== 'streamable-http' && type !== 'sse') {
      this.#list.error(`The transport ${shown(type)} is not known: update this program, or add the server by hand.`, [
        ...path,
        'type',
      ]);
      return undefined;
    }
    if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) {
      this.#list.error('The address has to begin with https:// or http://.', [...path, 'url']);
      return undefined;
    }
    const filled = fill(url);
    const named = this.#pairs(headers, inputs, [...path, 'headers'], isHeaderName);
    if (filled === undefined || named === undefined) return undefined;
    for (const { id, isSecret } of inputs.inputs)
      if (isSecret === true && filled.includes(`\${input:${id}}`))
        this.#list.warning(
          `The secret ${shown(id)} becomes a part of the address, which servers on the way write down.`,
          [...path, 'url'],
        );
    return { type: type === 'sse' ? 'sse' : 'http', url: filled, headers: named };
  }

  /** Headers or variables of the environment by their names; `undefined` where one of them cannot be used. */
  #pairs(
    list: Json | undefined,
    inputs: DocumentInputs,
    path: Path,
    isName: (name: string) => boolean,
  ): Record<string, string> | undefined {
    if (list === undefined) return {};
    if (!Array.isArray(list)) {
      this.#list.error('It has to be a list.', path);
      return undefined;
    }
    const pairs: [string, string][] = [];
    for (const [at, one] of (list as readonly Json[]).entries()) {
      const name = isObject(one) ? one['name'] : undefined;
      if (!isObject(one) || typeof name !== 'string' || !isName(name)) {
        this.#list.error(`The name ${shown(name)} cannot be used here.`, [...path, at, 'name']);
        return undefined;
      }
      const text = inputs.textOf(name, one, [...path, at]);
      if (text === undefined) return undefined;
      pairs.push([name, text.text]);
    }
    return Object.fromEntries(pairs);
  }

  #bundle(one: JsonObject, path: Path): void {
    const { identifier, fileSha256, version } = one;
    if (typeof identifier !== 'string' || !URL.canParse(identifier) || new URL(identifier).protocol !== 'https:')
      return this.#list.error(`The address ${shown(identifier)} of the bundle has to begin with https://.`, [
        ...path,
        'identifier',
      ]);
    if (typeof fileSha256 !== 'string' || !SHA256.test(fileSha256))
      return this.#list.error(
        'The bundle is not offered, because its hash (fileSha256) is missing. Ask its author for it.',
        [...path, 'fileSha256'],
      );
    const known = typeof version === 'string' ? { version } : {};
    this.#bundles.push({ url: identifier, sha256: fileSha256, ...known, pointer: pointerOf(...path) });
  }
}

/** In a package, `{name}` of the address is an argument or a variable of the environment. */
function ownVariables(one: JsonObject, inputs: DocumentInputs): (url: string) => string {
  const fixed = new Map<string, string>();
  for (const key of ['runtimeArguments', 'packageArguments', 'environmentVariables'])
    for (const argument of Array.isArray(one[key]) ? (one[key] as readonly Json[]) : []) {
      if (!isObject(argument) || typeof argument['value'] !== 'string') continue;
      for (const name of [argument['valueHint'], argument['name']])
        if (typeof name === 'string' && !PARTS_OF_REFERENCES.test(argument['value']))
          fixed.set(name, argument['value']);
    }
  return (url) =>
    url.replaceAll(/\{([^{}]{1,200})\}/g, (whole, name: string) => {
      const id = [name, `--${name}`, `-${name}`].find((one) => inputs.has(one) || fixed.has(one));
      if (id === undefined) return whole;
      return fixed.get(id) ?? `\${input:${id}}`;
    });
}

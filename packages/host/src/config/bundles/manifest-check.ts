import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import { visibleLine } from '../../values/visible-text.ts';
import { pointerOf, type DocumentProblem } from '../document-problem.ts';
import { shownName } from './bundle-error.ts';
import { segmentsOf } from './entry-path.ts';
import type { ReadManifest } from './manifest.ts';
import { isKnownVariable, optionOf, variablesIn } from './variables.ts';

const VERSIONS = ['0.1', '0.2', '0.3', '0.4'];
const TYPES = ['node', 'python', 'binary', 'uv'];
const OPTION_TYPES = ['string', 'number', 'boolean', 'directory', 'file'];
const OPTION_KEY = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_NAME = 128;
const MAX_OPTIONS = 200;

export interface CheckedManifest {
  /** Absent where a problem is an error. */
  readonly manifest?: ReadManifest;
  readonly problems: readonly DocumentProblem[];
}

/** Holds a parsed `manifest.json` against what the versions 0.1 to 0.4 say. Members that they do not know are left alone. */
export function checkManifest(value: Json): CheckedManifest {
  if (!isObject(value))
    return { problems: [{ severity: 'error', pointer: '', message: 'The manifest is not a JSON object.' }] };
  const check = new ManifestCheck(value);
  check.run();
  const { problems } = check;
  return problems.some(({ severity }) => severity === 'error')
    ? { problems }
    : { manifest: value as unknown as ReadManifest, problems };
}

class ManifestCheck {
  readonly problems: DocumentProblem[] = [];
  readonly #manifest: JsonObject;

  constructor(manifest: JsonObject) {
    this.#manifest = manifest;
  }

  run(): void {
    const { name, version, description, author } = this.#manifest;
    this.#version();
    if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME || visibleLine(name) !== name)
      this.#error(`The name has to be a text of 1 to ${MAX_NAME} visible characters.`, 'name');
    if (typeof version !== 'string' || version === '') this.#error('The version of the bundle is missing.', 'version');
    if (typeof description !== 'string') this.#error('The description is missing.', 'description');
    if (!isObject(author) || typeof author['name'] !== 'string')
      this.#error('The name of the author is missing.', 'author');
    this.#options();
    this.#server();
    this.#compatibility();
  }

  #error(message: string, ...path: readonly (string | number)[]): void {
    this.problems.push({ severity: 'error', pointer: pointerOf(...path), message });
  }

  #warning(message: string, ...path: readonly (string | number)[]): void {
    this.problems.push({ severity: 'warning', pointer: pointerOf(...path), message });
  }

  #version(): void {
    const key = this.#manifest['manifest_version'] === undefined ? 'dxt_version' : 'manifest_version';
    const version = this.#manifest[key];
    if (version === undefined)
      this.#error('The version of the manifest is missing: it has to be one of 0.1 to 0.4.', 'manifest_version');
    else if (!VERSIONS.includes(version as string))
      this.#error(
        `The version of the manifest is ${shownName(JSON.stringify(version))}, and 0.1 to 0.4 are known: update this program, or ask for a bundle with an older manifest.`,
        key,
      );
  }

  #server(): void {
    const { server } = this.#manifest;
    if (!isObject(server)) return this.#error('It has no server to start.', 'server');
    const { type, entry_point: entryPoint, mcp_config: config } = server;
    if (!TYPES.includes(type as string))
      this.#error(`The type of the server has to be one of ${TYPES.join(', ')}.`, 'server', 'type');
    if (typeof entryPoint !== 'string')
      this.#error('The path of the file that starts the server is missing.', 'server', 'entry_point');
    else this.#entryPoint(entryPoint);
    if (config === undefined && type === 'uv') return;
    if (!isObject(config)) return this.#error('The command that starts the server is missing.', 'server', 'mcp_config');
    if (typeof config['command'] !== 'string' || config['command'] === '')
      this.#error('The command that starts the server is missing.', 'server', 'mcp_config', 'command');
    this.#command(config, ['server', 'mcp_config']);
    const overrides = config['platform_overrides'];
    if (overrides === undefined) return;
    if (!isObject(overrides))
      return this.#error('It has to be an object.', 'server', 'mcp_config', 'platform_overrides');
    for (const [platform, one] of Object.entries(overrides)) {
      const path = ['server', 'mcp_config', 'platform_overrides', platform];
      if (isObject(one)) this.#command(one, path);
      else this.#error('It has to be an object with command, args or env.', ...path);
    }
  }

  #entryPoint(entryPoint: string): void {
    try {
      segmentsOf(entryPoint.replace(/^\.\//, ''));
    } catch {
      this.#error('The file that starts the server has to be a path inside of the bundle.', 'server', 'entry_point');
    }
  }

  #command(config: JsonObject, path: readonly string[]): void {
    const { command, args = [], env = {} } = config;
    if (command !== undefined && typeof command !== 'string')
      this.#error('The command has to be a text.', ...path, 'command');
    else if (command !== undefined) this.#text(command, [...path, 'command'], false);
    if (!Array.isArray(args)) this.#error('The arguments have to be a list of texts.', ...path, 'args');
    else
      for (const [at, arg] of args.entries())
        if (typeof arg === 'string') this.#text(arg, [...path, 'args', at], false);
        else this.#error('An argument has to be a text.', ...path, 'args', at);
    if (!isObject(env)) return this.#error('The variables have to be an object of texts.', ...path, 'env');
    for (const [name, value] of Object.entries(env))
      if (typeof value !== 'string') this.#error('A variable has to be a text.', ...path, 'env', name);
      else if (!VARIABLE_NAME.test(name))
        this.#error('The name of a variable has letters, digits and underscores.', ...path, 'env', name);
      else this.#text(value, [...path, 'env', name], true);
  }

  #text(text: string, path: readonly (string | number)[], mayBeSecret: boolean): void {
    if (text.includes('\0')) return this.#error('A text holds a NUL character.', ...path);
    const options = isObject(this.#manifest['user_config']) ? this.#manifest['user_config'] : {};
    for (const variable of variablesIn(text)) {
      const key = optionOf(variable);
      const option = key === undefined || !Object.hasOwn(options, key) ? undefined : options[key];
      if (key === undefined && !isKnownVariable(variable))
        this.#warning(`\${${visibleLine(variable)}} is not known, and is left as it stands.`, ...path);
      else if (key !== undefined && option === undefined)
        this.#error(`\${${visibleLine(variable)}} names no member of user_config.`, ...path);
      else if (!mayBeSecret && isObject(option) && option['sensitive'] === true)
        this.#warning(
          `The secret ${shownName(key ?? '')} becomes a part of the command line, which every program of this machine can read.`,
          ...path,
        );
    }
  }

  #options(): void {
    const options = this.#manifest['user_config'] ?? {};
    if (!isObject(options)) return this.#error('It has to be an object.', 'user_config');
    const entries = Object.entries(options);
    if (entries.length > MAX_OPTIONS) return this.#error(`It has more than ${MAX_OPTIONS} members.`, 'user_config');
    for (const [key, option] of entries) {
      if (!OPTION_KEY.test(key))
        this.#error('The key has to be made of letters, digits, dots, dashes and underscores.', 'user_config', key);
      if (isObject(option)) this.#option(key, option);
      else this.#error('It has to be an object.', 'user_config', key);
    }
  }

  #option(key: string, option: JsonObject): void {
    const path = ['user_config', key];
    if (!OPTION_TYPES.includes(option['type'] as string))
      this.#error(`The type has to be one of ${OPTION_TYPES.join(', ')}.`, ...path, 'type');
    if (typeof option['title'] !== 'string') this.#error('The title is missing.', ...path, 'title');
    for (const flag of ['required', 'multiple', 'sensitive'])
      if (!['boolean', 'undefined'].includes(typeof option[flag]))
        this.#error('It has to be true or false.', ...path, flag);
    for (const bound of ['min', 'max'])
      if (!['number', 'undefined'].includes(typeof option[bound]))
        this.#error('It has to be a number.', ...path, bound);
    if (Number(option['min'] ?? -Infinity) > Number(option['max'] ?? Infinity))
      this.#error('The least value is greater than the greatest.', ...path, 'min');
    if (option['sensitive'] === true && option['default'] !== undefined)
      this.#warning('A secret has a default, which everybody who has the bundle knows.', ...path, 'default');
    if (option['multiple'] === true && option['type'] !== 'directory' && option['type'] !== 'file')
      this.#warning(
        'Only directories and files are documented to take several values; it is taken as a list all the same.',
        ...path,
        'multiple',
      );
  }

  #compatibility(): void {
    const compatibility = this.#manifest['compatibility'] ?? {};
    if (!isObject(compatibility)) return this.#error('It has to be an object.', 'compatibility');
    const { platforms, runtimes = {} } = compatibility;
    if (platforms !== undefined && !(Array.isArray(platforms) && platforms.every((one) => typeof one === 'string')))
      this.#error('The platforms have to be a list of texts.', 'compatibility', 'platforms');
    if (!isObject(runtimes) || !Object.values(runtimes).every((range) => typeof range === 'string'))
      this.#error('The runtimes have to be an object of texts.', 'compatibility', 'runtimes');
  }
}

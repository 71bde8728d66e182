import {
  cacheHintsFault,
  isJsonObject,
  type CacheHints,
  type HandledRequest,
  type RequestHandler,
} from 'crosspoint/internal';
import type { JsonObject, ReadResourceResult, ServerContext } from 'crosspoint';
import { skillFault } from '../extension/skill-entry.ts';
import {
  RESOURCES_DIRECTORY_READ_METHOD,
  SKILLS_EXTENSION_ID,
  SKILLS_GET_METHOD,
  SKILLS_LIST_METHOD,
  skillsExtension,
} from '../extension/skills-extension.ts';
import type { Skill } from '../extension/skill.ts';
import { ProtocolError, resourceContents, ResourceTemplate, type McpServer } from 'crosspoint/server';
import type { SkillSource } from './skill-source.ts';

export interface SkillsOptions {
  /** How long answers about skills and their files may be reused, and by whom; 0 and private when absent. */
  readonly cacheHint?: CacheHints;
}

export interface SkillsExtensionOptions extends SkillsOptions {
  readonly source: SkillSource;
  /** The beginning of every URI of the source; `skill://` when absent. */
  readonly baseUri?: string;
}

const MAX_URI = 4096;

/** The server's half of the skills extension, for one source of skills. Nothing is declared until `attach`. */
export class SkillsExtension {
  readonly id: string = SKILLS_EXTENSION_ID;
  readonly #source: SkillSource;
  readonly #baseUri: string;
  readonly #hints: CacheHints;
  readonly #attached = new Set<McpServer>();

  constructor({ source, baseUri = 'skill://', cacheHint = {} }: SkillsExtensionOptions) {
    const fault = cacheHintsFault(cacheHint);
    if (fault !== undefined) throw new TypeError(`The cacheHint of skills: ${fault}.`);
    if (!/^[a-z][a-z0-9+.-]*:\/\/(?:[A-Za-z0-9._~-]+\/)*$/.test(baseUri))
      throw new TypeError(`The baseUri of skills must be like "skill://" or "skill://team/"; it is "${baseUri}".`);
    this.#source = source;
    this.#baseUri = baseUri;
    this.#hints = { ttlMs: 0, cacheScope: 'private', ...cacheHint };
  }

  /** Serves the skills with this server: declares the extension, answers its methods, and makes the files resources. */
  attach(server: McpServer): void {
    if (this.#attached.has(server)) return;
    const directories = this.#source.readDirectory !== undefined;
    const handlers: Record<string, RequestHandler> = {
      [SKILLS_LIST_METHOD]: (request, ctx) => this.#list(request, ctx),
      [SKILLS_GET_METHOD]: (request, ctx) => this.#get(request, ctx),
      ...(directories && {
        [RESOURCES_DIRECTORY_READ_METHOD]: (request: HandledRequest, ctx: ServerContext) =>
          this.#readDirectory(request, ctx),
      }),
    };
    server.use({
      extension: skillsExtension,
      settings: directories ? { directoryRead: true } : {},
      handlers,
    });
    server.registerResource(
      'skills',
      new ResourceTemplate(`${this.#baseUri}{+path}`, {
        list: async (ctx) => ({ resources: [...((await this.#source.listResources?.(ctx)) ?? [])] }),
      }),
      { description: 'The files of skills' },
      (uri, _variables, ctx) => this.#read(uri.href, ctx),
    );
    this.#attached.add(server);
  }

  /** Announces to the clients of every attached server that the list, or these files, have changed. */
  protected tellChanged(listChanged: boolean, files: readonly string[]): void {
    for (const server of this.#attached) {
      if (listChanged) server.sendResourceListChanged();
      // Rejects on a server without subscriptions, which has no client to notify.
      for (const uri of files) server.sendResourceUpdated({ uri }).catch(() => {});
    }
  }

  async #list({ params }: HandledRequest, ctx: ServerContext): Promise<JsonObject> {
    const { skills, nextCursor } = await this.#source.list(cursorIn(params), ctx);
    return {
      skills: skills.map(checked),
      ...(nextCursor !== undefined && { nextCursor }),
      ...this.#hints,
    };
  }

  async #get({ method, params }: HandledRequest, ctx: ServerContext): Promise<JsonObject> {
    const uri = uriIn(method, params);
    const skill = await this.#source.get(uri, ctx);
    if (skill === undefined) throw new ProtocolError('invalid-params', `No skill is served at ${uri}`, { uri });
    return { skill: checked(skill), ...this.#hints };
  }

  async #readDirectory({ method, params }: HandledRequest, ctx: ServerContext): Promise<JsonObject> {
    const uri = uriIn(method, params);
    const page = await this.#source.readDirectory?.(uri, cursorIn(params), ctx);
    if (page === undefined) throw new ProtocolError('invalid-params', `${uri} is not a directory resource`, { uri });
    const { resources, nextCursor } = page;
    return { resources: [...resources], ...(nextCursor !== undefined && { nextCursor }) };
  }

  async #read(uri: string, ctx: ServerContext): Promise<ReadResourceResult | undefined> {
    const content = await this.#source.read(uri, ctx);
    if (content === undefined) return undefined;
    const data = 'text' in content ? content.text : content.bytes;
    return { contents: [resourceContents(uri, data, content.mimeType)], ...this.#hints };
  }
}

function uriIn(method: string, { uri }: JsonObject): string {
  if (typeof uri !== 'string' || uri.length > MAX_URI)
    throw new ProtocolError('invalid-params', `${method} needs a uri.`);
  return uri;
}

function cursorIn({ cursor }: JsonObject): { cursor?: string } {
  if (cursor === undefined) return {};
  if (typeof cursor !== 'string') throw new ProtocolError('invalid-params', 'The cursor must be a text.');
  return { cursor };
}

/** Checks an entry from a program's own source, whose mistakes clients could not detect. */
function checked(skill: Skill): Skill {
  const fault = skillFault(skill);
  if (fault !== undefined) {
    const uri = isJsonObject(skill) && typeof skill.uri === 'string' ? skill.uri : 'a skill';
    throw new TypeError(`The source of skills returned an entry for ${uri} that cannot be served: ${fault}.`);
  }
  return skill;
}

import type { Client } from 'crosspoint/client';
import { SkillsClient, type Skill, type SkillFile, type SkillsClientOptions } from '@crosspoint/skills/client';

/** A skill of a server. */
export interface HostSkill {
  readonly server: string;
  readonly skill: Skill;
}

/** The part of a `Host` that skills need. */
export interface SkilledHost {
  readonly servers: {
    list(): readonly { readonly name: string; readonly client: Client | undefined }[];
    get(name: string): { ready(signal?: AbortSignal): Promise<Client> } | undefined;
  };
  readonly audit: { write(event: { type: string; server: string; details: { uri: string; path?: string } }): void };
}

/**
 * The skills of all servers of a host. Give the host the extension, so that servers offer them:
 *
 * ```ts
 * const host = new Host({ name: 'my-app', version: '1.0.0', extensions: [{ extension: skillsExtension }] });
 * const skills = new HostSkills(host);
 * for (const { server, skill } of (await skills.list()).skills) console.log(server, skill.frontmatter.name, skill.frontmatter.description);
 * ```
 */
export class HostSkills {
  readonly #host: SkilledHost;
  readonly #options: SkillsClientOptions;

  constructor(host: SkilledHost, options: SkillsClientOptions = {}) {
    this.#host = host;
    this.#options = { skipInvalid: true, ...options };
  }

  /** The skills of every connected server that has some. No file is read. A server that fails is a problem, and hides no other. */
  async list(): Promise<{ readonly skills: readonly HostSkill[]; readonly problems: readonly Error[] }> {
    const problems: Error[] = [];
    const lists = this.#host.servers.list().map(async ({ name, client }): Promise<HostSkill[]> => {
      if (client === undefined) return [];
      try {
        const { skills } = await new SkillsClient(client, this.#options).list();
        return skills.map((skill) => ({ server: name, skill }));
      } catch (error) {
        problems.push(new Error(`The skills of the server "${name}" cannot be listed.`, { cause: error }));
        return [];
      }
    });
    const skills = (await Promise.all(lists)).flat();
    return { skills, problems };
  }

  /** The instructions of a skill, checked against its entry: read when the model wants them, and not before. */
  async load({ server, skill }: HostSkill, signal?: AbortSignal): Promise<SkillFile> {
    const client = await this.#host.servers.get(server)?.ready(signal);
    if (client === undefined) throw new TypeError(`There is no server "${server}".`);
    this.#host.audit.write({ type: 'skill', server, details: { uri: skill.uri } });
    return new SkillsClient(client, this.#options).read(skill, undefined, signal === undefined ? {} : { signal });
  }
}

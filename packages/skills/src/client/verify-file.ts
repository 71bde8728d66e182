import type { JsonObject, ResourceContents } from 'crosspoint';
import { differences, readManifest, type ParseFrontmatter } from '../extension/front-matter.ts';
import { digestOf, type Skill, type SkillLimits } from '../extension/skill.ts';
import { SkillVerificationError } from './skill-verification-error.ts';
import { errorMessage, fromBase64, type Bytes } from 'crosspoint/internal';

/** A file of a skill, checked against the entry. */
export interface SkillFile {
  readonly uri: string;
  readonly mimeType?: string;
  readonly bytes: Bytes;
  /** Present when the server sent text. */
  readonly text?: string;
  /** Whether size and digest were compared; impossible for a `dynamic` skill. */
  readonly verified: boolean;
  /** Front matter of the skill's own `SKILL.md`; equal to the entry's. */
  readonly frontmatter?: JsonObject;
  /** Text after the front matter, of the skill's own `SKILL.md`. */
  readonly body?: string;
}

export interface VerifyOptions {
  readonly limits: SkillLimits;
  readonly parseFrontmatter: ParseFrontmatter | undefined;
}

/** Checks contents against the entry: size, then digest, then the front matter of a `SKILL.md`. Rejects at the first difference. */
export async function verifyFile(
  skill: Skill,
  uri: string,
  contents: ResourceContents,
  options: VerifyOptions,
): Promise<SkillFile> {
  const text = 'text' in contents ? contents.text : undefined;
  const bytes = text === undefined ? decodeBlob(contents, uri) : new TextEncoder().encode(text);
  const isListed = skill.resources !== 'dynamic';
  if (isListed) await verifyListed(skill, uri, bytes);
  else if (bytes.byteLength > options.limits.bytes)
    throw new SkillVerificationError(
      'limit',
      uri,
      `${uri} has ${bytes.byteLength} bytes, and ${options.limits.bytes} are the limit.`,
    );
  return {
    uri,
    bytes,
    verified: isListed,
    ...(contents.mimeType !== undefined && { mimeType: contents.mimeType }),
    ...(text !== undefined && { text }),
    ...(uri === skill.uri && verifyManifest(skill, text ?? decodeText(bytes, uri), options.parseFrontmatter)),
  };
}

async function verifyListed({ resources }: Skill, uri: string, bytes: Bytes): Promise<void> {
  const listed = resources === 'dynamic' ? undefined : resources.find((resource) => resource.uri === uri);
  if (listed === undefined) throw new SkillVerificationError('unlisted', uri, `${uri} is not a file of the skill.`);
  if (bytes.byteLength !== listed.size)
    throw new SkillVerificationError(
      'size',
      uri,
      `${uri} has ${bytes.byteLength} bytes; the entry of the skill says ${listed.size}.`,
    );
  if ((await digestOf(bytes)) !== listed.digest)
    throw new SkillVerificationError(
      'digest',
      uri,
      `The content of ${uri} does not match the digest in the entry of the skill.`,
    );
}

function verifyManifest(
  { uri, frontmatter }: Skill,
  text: string,
  parse: ParseFrontmatter | undefined,
): { frontmatter: JsonObject; body: string } {
  let manifest;
  try {
    manifest = readManifest(text, parse);
  } catch (error) {
    const why = errorMessage(error);
    throw new SkillVerificationError('frontmatter', uri, `The front matter of ${uri} cannot be read. ${why}`);
  }
  const fields = differences(frontmatter, manifest.frontmatter);
  if (fields.length > 0)
    throw new SkillVerificationError(
      'frontmatter',
      uri,
      `The front matter of ${uri} differs from the entry of the skill in: ${fields.join(', ')}.`,
      fields,
    );
  return manifest;
}

function decodeBlob(contents: ResourceContents, uri: string): Bytes {
  try {
    return fromBase64('blob' in contents ? contents.blob : '');
  } catch {
    throw new SkillVerificationError('digest', uri, `The contents of ${uri} are not valid base64.`);
  }
}

function decodeText(bytes: Uint8Array, uri: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SkillVerificationError('frontmatter', uri, `${uri} is not text.`);
  }
}

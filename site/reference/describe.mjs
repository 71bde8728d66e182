import { docBefore } from './declaration-file.mjs';
import { meaningOf } from './exports-of.mjs';
import { dedent, formatSignature, textOfNode } from './signature.mjs';

const KINDS = {
  ClassDeclaration: 'class',
  TSInterfaceDeclaration: 'interface',
  TSTypeAliasDeclaration: 'type',
  TSDeclareFunction: 'function',
  FunctionDeclaration: 'function',
  VariableDeclaration: 'constant',
  TSEnumDeclaration: 'enum',
  TSModuleDeclaration: 'namespace',
};

/** The reference entry of one exported name: kind, signatures, text, and members. */
export function describeExport(exported, { name, file, external, declarations }) {
  if (external !== undefined)
    return {
      name: exported,
      kinds: [`from ${external}`],
      signatures: [`import { ${name} } from '${external}'`],
      docs: '',
      members: [],
    };
  const parts = declarations.map(({ node, declaration }) => describeOne(file, node, declaration));
  const first = (pick) => parts.map(pick).find((value) => value !== undefined && value !== '');
  return {
    name: exported,
    path: /\/dist\/(.*)\.d\.ts$/.exec(file.path.replaceAll('\\', '/'))?.[1],
    declaredAs: name === exported ? undefined : name,
    kinds: [...new Set(parts.map(({ kind }) => kind))],
    signatures: parts.map(({ signature }) => signature),
    docs: first(({ text }) => text) ?? '',
    deprecated: first(({ deprecated }) => deprecated),
    members: parts.flatMap(({ members }) => members),
  };
}

function describeOne(file, node, declaration) {
  const { text, deprecated } = docBefore(file, node.start);
  const kind = KINDS[declaration.type] ?? 'value';
  return { kind, text, deprecated, signature: signatureOf(file, declaration), members: membersOf(file, declaration) };
}

const withoutDeclare = (text) => text.replace(/^(?:export )?declare /, '');

function signatureOf(file, declaration) {
  const members = bodyOf(declaration);
  if (members !== undefined && declaration.type !== 'TSTypeAliasDeclaration')
    return withoutDeclare(textOfNode(file, declaration.start, declaration.body.start)).trim();
  if (declaration.type === 'TSDeclareFunction') return withoutDeclare(formatSignature(file, declaration, declaration));
  return withoutDeclare(dedent(textOfNode(file, declaration.start, declaration.end)));
}

function bodyOf({ type, body, typeAnnotation }) {
  if (type === 'ClassDeclaration' || type === 'TSInterfaceDeclaration') return body.body;
  if (type === 'TSTypeAliasDeclaration' && typeAnnotation.type === 'TSTypeLiteral') return typeAnnotation.members;
  return undefined;
}

/** The members of a class or an interface, and after them those of the class it extends which it does not have itself. */
function membersOf(file, declaration) {
  const members = bodyOf(declaration) ?? [];
  const own = members.filter(isPublic).flatMap((member) => {
    const { text, isInternal, deprecated } = docBefore(file, member.start);
    if (isInternal) return [];
    const fn = member.value?.params === undefined ? member : member.value;
    return [{ name: member.key?.name, signature: formatSignature(file, member, fn), docs: text, deprecated }];
  });
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...inheritedMembers(file, declaration).filter(({ name }) => !names.has(name))];
}

/** The inherited members of a class of this package; classes of the language or of other packages are documented elsewhere. */
function inheritedMembers(file, { superClass }) {
  if (superClass?.type !== 'Identifier') return [];
  const base = meaningOf(file.path, superClass.name);
  return (base?.declarations ?? []).flatMap(({ declaration }) => membersOf(base.file, declaration));
}

function isPublic({ key, accessibility }) {
  return key?.type !== 'PrivateIdentifier' && accessibility !== 'private' && !key?.name?.startsWith('_private');
}

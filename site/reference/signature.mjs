const WIDTH = 88;

/** The text of a node on as few lines as its author gave it, indented by two. */
export function textOfNode({ source }, start, end) {
  return source
    .slice(start, end)
    .replaceAll(/\/\*\*?[\s\S]*?\*\/\s*/g, '')
    .replaceAll(/^(?: {4})+/gm, (indent) => ' '.repeat(indent.length / 2))
    .replace(/;$/, '')
    .trim();
}

/** A signature with each parameter on a line of its own where it would be too long for one. `fn` is the node with the parameters. */
export function formatSignature(file, node, fn) {
  const whole = dedent(textOfNode(file, node.start, node.end));
  const params = fn?.params ?? [];
  if (params.length === 0 || (whole.length <= WIDTH && !whole.includes('\n'))) return whole;
  const before = textOfNode(file, node.start, params[0].start).replace(/\s*$/, '');
  const listed = params.map((param) => `  ${indentRest(dedent(textOfNode(file, param.start, param.end)))},`);
  const after = textOfNode(file, params.at(-1).end, node.end).replace(/^,?\s*/, '');
  return `${before}\n${listed.join('\n')}\n${dedent(after)}`;
}

/** Brings the last line to the left edge, and the others with it. */
export function dedent(text) {
  const depths = text
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => /^ */.exec(line)[0].length);
  const least = depths.length === 0 ? 0 : Math.min(...depths);
  return text.replaceAll(new RegExp(`^ {${least}}`, 'gm'), (indent, at) => (at === 0 ? indent : ''));
}

const indentRest = (text) => text.replaceAll('\n', '\n  ');

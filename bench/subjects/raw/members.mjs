// The same by hand: the type of each member is compared, for the arguments and for the result.
import { argumentsOf, schemaOf } from '../members.mjs';

function compile(count) {
  const { properties, required } = schemaOf(count);
  const types = new Map(required.map((name) => [name, properties[name].type === 'string' ? 'string' : 'number']));
  return (value) => {
    for (const [name, type] of types) if (typeof value[name] !== type) return false;
    return Object.keys(value).length === types.size;
  };
}

export function start() {
  let checks;
  let kept = [];
  let args;
  return {
    commands: {
      make({ count, times, isKept = false }) {
        for (let left = times; left > 0; left -= 1) {
          checks = [compile(count), compile(count)];
          if (isKept) kept.push(checks);
        }
        args = argumentsOf(count);
      },
      forget() {
        kept = [];
        checks = args = undefined;
      },
      call({ times }) {
        const [input, output] = checks;
        for (let left = times; left > 0; left -= 1) {
          const sent = JSON.parse(
            JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { arguments: args } }),
          );
          const structuredContent = sent.params.arguments;
          if (!input(structuredContent) || !output(structuredContent)) throw new Error('The arguments were refused.');
          JSON.parse(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [], structuredContent } }));
        }
      },
    },
  };
}

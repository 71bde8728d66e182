// A list in pages by hand: a slice of an array, whose cursor is an index.
const PAGE = 20;

function answer(items, text) {
  const { id, params } = JSON.parse(text);
  const from = params.cursor === undefined ? 0 : Number(params.cursor);
  const next = from + PAGE < items.length ? { nextCursor: String(from + PAGE) } : {};
  return JSON.stringify({ jsonrpc: '2.0', id, result: { resources: items.slice(from, from + PAGE), ...next } });
}

export function start() {
  let items = [];
  const walk = ({ times }) => {
    for (let left = times; left > 0; left -= 1) {
      const found = [];
      let cursor;
      do {
        const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/list', params: { cursor } });
        const { resources, nextCursor } = JSON.parse(answer(items, text)).result;
        found.push(...resources);
        cursor = nextCursor;
      } while (cursor !== undefined);
      if (found.length !== items.length) throw new Error('The list is not complete.');
    }
  };
  const make = ({ pages }) => {
    items = Array.from({ length: pages * PAGE }, (_, at) => ({ name: `entry-${at}`, uri: `bench://entry/${at}` }));
  };
  return { commands: { make, walk, walkVaried: walk } };
}

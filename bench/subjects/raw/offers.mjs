// The same in maps. Messages pass as text, and nothing is checked.
import { LISTS, offersAt, USES } from '../offers.mjs';

const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };

function makeOffers(count) {
  const offers = { tools: new Map(), resources: new Map(), prompts: new Map() };
  for (let at = 0; at < count; at += 1) {
    const { name, uri, description } = offersAt(at);
    const run = ({ a }) => ({ content: [{ type: 'text', text: String(a) }] });
    const read = () => ({ contents: [{ uri, text: name }] });
    const give = ({ a }) => ({ messages: [{ role: 'user', content: { type: 'text', text: a } }] });
    offers.tools.set(name, { shown: { name, description, inputSchema }, run });
    offers.resources.set(uri, { shown: { name, uri, description }, run: read });
    offers.prompts.set(name, { shown: { name, description, arguments: [{ name: 'a', required: true }] }, run: give });
  }
  return offers;
}

const MEMBERS = Object.fromEntries(LISTS);
const USED = { 'tools/call': 'tools', 'resources/read': 'resources', 'prompts/get': 'prompts' };

function answer(offers, text) {
  const { id, method, params } = JSON.parse(text);
  const member = MEMBERS[method];
  const result =
    member === undefined
      ? offers[USED[method]].get(params.name ?? params.uri).run(params.arguments)
      : { [member]: [...offers[member].values()].map(({ shown }) => shown) };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function start() {
  let offers;
  let kept = [];
  let size = 0;
  const ask = (method, params) =>
    JSON.parse(answer(offers, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).result;
  return {
    commands: {
      make({ count, times, isKept = false }) {
        for (let left = times; left > 0; left -= 1) {
          offers = makeOffers(count);
          if (isKept) kept.push(offers);
        }
        size = count;
      },
      forget() {
        kept = [];
        offers = undefined;
      },
      list({ times }) {
        for (let left = times; left > 0; left -= 1) for (const [method] of LISTS) ask(method, {});
      },
      use({ times }) {
        for (let left = times; left > 0; left -= 1)
          for (const [method, params] of USES(left, size)) ask(method, params);
      },
    },
  };
}

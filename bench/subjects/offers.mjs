// What the servers of the part `offers` offer, and how it is listed and used.
export { SERVER_INFO } from './tools.mjs';

export const offersAt = (at) => ({
  name: `entry-${at}`,
  uri: `bench://entry/${at}`,
  description: `Does the work ${at}`,
});

/** The methods that list, and the member of their results. */
export const LISTS = [
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['prompts/list', 'prompts'],
];

/** A use of each kind of entry, far from the one before. */
export const USES = (turn, size) => {
  const { name, uri } = offersAt((turn * 7919) % size);
  return [
    ['tools/call', { name, arguments: { a: turn } }],
    ['resources/read', { uri }],
    ['prompts/get', { name, arguments: { a: 'text' } }],
  ];
};

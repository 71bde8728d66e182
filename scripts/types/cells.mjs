// The ways in which a project of TypeScript finds types, for each version that has them.

/** Settings of a way, and the versions of TypeScript that have it. */
const WAYS = [
  {
    name: 'node10',
    until: 6,
    // Version 6 has it for the last time, and says so.
    options: (version) => ({
      module: 'commonjs',
      moduleResolution: 'node10',
      ...(version >= 6 && { ignoreDeprecations: '6.0' }),
    }),
    types: ['commonjs'],
  },
  { name: 'node16', options: () => ({ module: 'node16' }), types: ['commonjs', 'module'], isNode: true },
  { name: 'node18', since: 5.8, options: () => ({ module: 'node18' }), types: ['commonjs', 'module'], isNode: true },
  { name: 'nodenext', options: () => ({ module: 'nodenext' }), types: ['commonjs', 'module'], isNode: true },
  { name: 'bundler', options: () => ({ module: 'esnext', moduleResolution: 'bundler' }), types: ['module'] },
  // Takes the place of node10 in version 7.
  {
    name: 'bundler',
    since: 6,
    options: () => ({ module: 'commonjs', moduleResolution: 'bundler' }),
    types: ['commonjs'],
  },
];

/**
 * @typedef {object} Cell
 * @property {string} name
 * @property {string} version of TypeScript, such as `5.0`
 * @property {'commonjs' | 'module'} type as in package.json
 * @property {boolean} isMixed whether files of both kinds may import each other
 * @property {object} compilerOptions
 */

/** A cell in which files for `import` and for `require()` meet, and compilers refuse what the declarations for `require()` pass on. */
const checksDeclarations = (name, type) => name === 'node16' && type === 'commonjs';

function cellOf({ name, options, isNode = false }, { version, type }) {
  return {
    name: `TypeScript ${version}, ${name}, ${type}`,
    version,
    type,
    isMixed: isNode && type === 'commonjs',
    compilerOptions: {
      target: 'ES2022',
      strict: true,
      declaration: true,
      types: ['node'],
      rootDir: 'src',
      outDir: 'dist',
      // Declarations are checked without the types of browsers.
      ...(checksDeclarations(name, type) ? { lib: ['ES2022'] } : { skipLibCheck: true }),
      ...options(Number(version)),
    },
  };
}

const has = (version, { since = 0, until = Infinity }) => since <= version && Math.floor(version) <= until;

/**
 * The cells of these versions.
 * @param {readonly string[]} versions
 * @returns {Cell[]}
 */
export const cellsOf = (versions) =>
  versions.flatMap((version) =>
    WAYS.filter((way) => has(Number(version), way)).flatMap((way) =>
      way.types.map((type) => cellOf(way, { version, type })),
    ),
  );

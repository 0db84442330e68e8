/** Words for states, origins and events of the field; component names stay as they print themselves. */
export const field = {
  outcome: {
    ok: 'ok',
    fallback: 'fallback',
    'client-left': 'client abort',
    'client-error': 'client error',
    'replica-error': 'replica error',
    timeout: 'timeout',
    broken: 'broken stream',
    refused: 'refused',
    open: 'running',
    'routed-only': 'routed only',
  },
  routerOnlyHelp:
    'Asked over HTTP at /internal/route: the request itself went elsewhere, so there is no outcome to see.',
  replicaState: { starting: 'Starting', ready: 'Serving', draining: 'Draining', down: 'Down' },
  excluded: 'Excluded',
  unknownState: 'Unknown',
  lastState: (state: string) => `last seen as ${state}`,
  origin: { observed: 'OBS', recomputed: 'CALC', estimated: 'EST' },
  originHelp: {
    observed: 'OBS: read from a component',
    recomputed: 'CALC: recomputed here from known inputs',
    estimated: 'EST: modelled',
  },
  absence: {
    'not-exported': 'not exported: the engine does not tell this',
    'not-supported': 'not supported by this version of the engine',
    'never-received': 'never received yet',
  },
  from: (source: string, age: string) => `${source}, ${age} ago`,
  stale: (age: string) => `stale ${age}`,
  fewSamples: (q: string, n: string, need: string) => `${q} of only ${n} samples (needs ${need})`,
  reason: (ray: string, own: string) => `${ray} (${own})`,
  noSession: 'none',
  noSessionHelp: 'No session id came with this request: it was hashed by its own id, so it has no affinity.',
  none: '—',
  policyShort: {
    'round-robin': 'rr',
    'consistent-hash': 'hash',
    'power-of-two': 'p2c',
    'prefix-affinity': 'prefix',
    'kv-aware': 'kv',
    'capacity-queue': 'capacity',
  },
  actor: { desktop: 'desktop', browser: 'browser', cli: 'command line', signalbox: 'Signalbox' },
  cause: { operator: 'operator', failure: 'after a failure', unknown: 'cause unknown' },
} as const

/** Lanes of the timeline, and what each kind of event says. */
export const events = {
  lanes: {
    changes: 'Changes',
    scale: 'Scale and membership',
    processes: 'Processes',
    faults: 'Faults',
    gaps: 'Gaps',
    notes: 'Notes',
  },
  seen: 'replica seen',
  state: (from: string, to: string) => `${from} → ${to}`,
  stateChanged: 'replica state',
  noState: 'unknown',
  gone: 'replica gone',
  scaled: (from: number, to: number) => `scale ${from}→${to}`,
  scaledDetail: (added: string, removed: string) =>
    [added ? `added ${added}` : '', removed ? `removed ${removed}` : ''].filter(Boolean).join(', '),
  source: (source: string) => `source ${source}`,
  process: (role: string, to: string) => `${role} ${to}`,
  processDetail: (pid: string, lost: string) =>
    [pid ? `pid ${pid}` : '', lost ? `${lost} streams lost` : ''].filter(Boolean).join(', '),
  storeTurned: (to: string) => `store ${to}`,
  faultOn: (name: string) => `fault ${name} on`,
  faultOff: (name: string) => `fault ${name} off`,
  faultFor: (duration: string) => `for ${duration}`,
  faultUntilCleared: 'until cleared',
  policy: (from: string, to: string) => `policy ${from} → ${to}`,
  policyParams: (id: string) => `parameters of ${id}`,
  traffic: (running: boolean, rate: string) => (running ? `demo traffic on, ${rate}` : 'demo traffic off'),
  gap: 'no data',
  clockJumped: (by: string) => `wall clock jumped by ${by}`,
} as const

/** Why a replica is under suspicion; the rules are in field/suspicion.ts. */
export const suspicion = {
  down: (why: string) => `down${why ? `: ${why}` : ''}`,
  starting: 'starting: takes no requests yet',
  draining: 'draining: takes no new requests',
  excluded: 'excluded in the router',
  unread: (age: string) => `not heard of for ${age}`,
  kvFull: (share: string) => `KV ${share} full`,
  waiting: (count: string) => (count === '1' ? '1 request waits' : `${count} requests wait`),
  hot: (times: string) => `in flight ${times} the mean`,
  slow: (times: string) => `TTFT p99 ${times} its peers`,
  failing: (share: string) => `${share} of its requests fail`,
} as const

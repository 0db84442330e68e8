import { createDraw } from '../../base/draw'
import { fail, ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { RouterNotes, routerLink } from '../../contract/links'
import type { CheckedOf, Handlers } from '../../contract/peer'
import type { Transport } from '../../contract/transport'
import type { CallError } from '../../contract/wire'
import type { DecisionEnded, FaultName } from '../../domain/journal/record'
import type { Clock } from '../../ports/seams/clock'
import type { Digests } from '../../ports/seams/digests'
import type { Random } from '../../ports/seams/random'
import type { Timers } from '../../ports/seams/timers'
import { type Configuration, configure } from './configuration'
import { type Consult, createConsult } from './consult'
import { createDecider, type Decider } from './decide'
import { startingFleet } from './membership'
import { createReport, type Report } from './report'

/** What control starts the router with. */
export type RouterStart = CheckedOf<(typeof routerLink)['router.start']>

/** What the listeners need of the router. */
export interface RouterCore {
  readonly decider: Decider
  readonly consult: Consult
  /** Hands on what became of a request. */
  readonly ended: (ended: DecisionEnded) => void
  /** A name for a request that brought none. */
  readonly nextRequestId: () => string
  readonly faults: () => ReadonlySet<FaultName>
}

/** The listeners: the proxy and the router's own HTTP endpoint. */
export interface Planes {
  open(
    start: RouterStart,
    core: RouterCore,
  ): Promise<Result<{ readonly proxyPort: number; readonly routerPort: number }, CallError>>
  /** Stops accepting, waits for the streams, ends what is left; answers how many were cut. */
  close(waitMs: Millis): Promise<number>
}

/** What the router process is made from. */
export interface RouterOptions {
  readonly clock: Clock
  /** Processor time that this process has used. */
  readonly workedMs: () => Millis
  readonly timers: Timers
  readonly random: Random
  readonly digests: (keyHex: string) => Digests
  /** Opens a link to ingest's local socket; null when there is nobody. */
  readonly dial: (path: string) => Promise<Transport | null>
  readonly planes: Planes
  readonly pid: number
}

/** The router's side of the link to control. */
export interface Router {
  readonly handlers: Handlers<typeof routerLink>
  /** What is told to control once a second. */
  status(): RouterNotes['router.status']
  /** Ends everything; answers how many streams were cut. */
  stop(waitMs: Millis): Promise<number>
}

/** A router that waits to be started by control. */
export function createRouter(options: RouterOptions): Router {
  const boot = options.random.hex(2)
  let faults: ReadonlySet<FaultName> = new Set()
  let running: Running | null = null

  const start = async (given: RouterStart) => {
    if (running) return fail({ code: 'already_started', message: 'the router is already started' })
    const draw = createDraw(given.seed).fork('router')
    const configuration = configure(given.policy, draw)
    if (!configuration.ok) return configuration
    running = run(options, given, configuration.value, boot, () => faults)
    const opened = await options.planes.open(given, running.core)
    if (!opened.ok) {
      await running.report.stop()
      running = null
    }
    return opened
  }
  const stop = async (waitMs: Millis) => {
    if (!running) return 0
    const cut = await options.planes.close(waitMs)
    await running.report.stop()
    running = null
    return cut
  }
  return {
    stop,
    status: () => ({
      inFlight: running?.core.decider.inFlight.total ?? 0,
      droppedRecords: running?.report.dropped ?? 0,
      ingestLinked: running?.report.linked ?? false,
    }),
    handlers: {
      'router.start': start,
      'router.policy': async (given) => {
        if (!running) return notStarted
        const configuration = configure(given, createDraw(running.seed).fork('router'))
        if (!configuration.ok) return configuration
        running.core.decider.use(configuration.value)
        return ok(null)
      },
      'router.members': async ({ replicas }) => {
        if (!running) return notStarted
        running.core.decider.join(replicas)
        return ok(null)
      },
      'router.faults': async ({ names }) => {
        faults = new Set(names)
        return ok(null)
      },
      'router.stop': async ({ waitMs }) => ok({ cut: await stop(waitMs) }),
    },
  }
}

interface Running {
  readonly core: RouterCore
  readonly report: Report
  readonly seed: number
}

const notStarted = fail({ code: 'not_started', message: 'the router is not started yet' })

function run(
  { clock, workedMs, timers, digests, dial, pid }: RouterOptions,
  start: RouterStart,
  configuration: Configuration,
  boot: string,
  faults: () => ReadonlySet<FaultName>,
): Running {
  const prefix = start.replicaIdPrefix
  const decider = createDecider({
    clock,
    workedMs,
    draw: createDraw(start.seed).fork('router'),
    configuration,
    fleet: startingFleet(start.replicas, clock.monoMs()),
    prefix,
  })
  const report = createReport({
    timers,
    digests: digests(start.sessionKeyHex),
    dial: () => dial(start.ingestPath),
    hello: () => ({ pid, boot, inFlight: decider.inFlight.total }),
    onFleet: decider.see,
  })
  const decisionIds = counted(boot)
  const consult = createConsult({ decider, clock, nextId: decisionIds, faults, report: report.made, prefix })
  const core = {
    decider,
    consult,
    faults,
    ended: report.ended,
    nextRequestId: counted(`sb-${boot}`),
  }
  return { core, report, seed: start.seed }
}

/** `<name>-1`, `<name>-2` … with the count in base 36. */
function counted(name: string): () => string {
  let count = 0
  return () => `${name}-${(++count).toString(36)}`
}

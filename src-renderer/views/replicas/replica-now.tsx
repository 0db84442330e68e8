import type { ReactNode } from 'react'
import type { Reading } from '../../../src-main/domain/fleet/reading'
import type { SourceReport } from '../../../src-main/domain/fleet/replica'
import { fewSamples, ReadingCell } from '../../field/reading-cell'
import { ReplicaState, replicaStanding } from '../../field/replica-state'
import type { Suspect } from '../../field/suspicion'
import { duration, latency } from '../../format/durations'
import { count, missing, percent, rate, times } from '../../format/numbers'
import { visible } from '../../format/visible'
import { DrawerSection } from '../../kit/drawer'
import { Mark } from '../../kit/mark'
import { Facts } from '../../kit/panel'
import { useShownNow } from '../../state/use-now'
import { words } from '../../words/en'
import { paceOf } from './columns'

const text = words.replicas

/** What the sections need. */
interface NowProps {
  readonly suspect: Suspect
  readonly sources: readonly SourceReport[]
}

/** Every reading of one replica, each with source and age in its tooltip, and what its router says. */
export function ReplicaNow(props: NowProps) {
  return (
    <>
      <Standing {...props} />
      <Engine {...props} />
      <Router {...props} />
      <Identity {...props} />
    </>
  )
}

function Standing({ suspect: { replica, suspicions }, sources }: NowProps) {
  const now = useShownNow()
  return (
    <DrawerSection title={text.now.state}>
      <ReplicaState standing={replicaStanding(replica, now.monoMs, paceOf(sources, replica.state.source))} />
      <ul className="pt-1">
        {suspicions.length === 0 ? <li className="text-faint">{text.now.none}</li> : null}
        {suspicions.map(({ tone, text: why }) => (
          <li key={why}>
            <Mark tone={tone}>{why}</Mark>
          </li>
        ))}
      </ul>
    </DrawerSection>
  )
}

function Engine({ suspect: { replica }, sources }: NowProps) {
  const now = useShownNow()
  const cell = (
    reading: Reading<number>,
    write: (value: number) => string,
    few: string | null = null,
  ): ReactNode => (
    <ReadingCell
      reading={reading}
      write={write}
      monoMs={now.monoMs}
      everyMs={paceOf(sources, reading.source)}
      few={few}
    />
  )
  const ms = (value: number) => latency(value)
  const perMinute = (value: number) => text.now.perMinute(count(Math.round(value)))
  const [few50, few99] = [
    fewSamples('p50', replica.latencySamples),
    fewSamples('p99', replica.latencySamples),
  ]
  return (
    <DrawerSection
      title={replica.state.source === null ? text.now.source : visible(replica.state.source)}
      aside={words.field.origin.observed}
    >
      <Facts
        rows={[
          [text.columns.running, cell(replica.running, count)],
          [text.columns.waiting, cell(replica.waiting, count)],
          [text.now.maxOngoing, cell(replica.maxOngoing, count)],
          [text.columns.kv, cell(replica.kvUsedRatio, percent)],
          [text.columns.cache, cell(replica.cacheHitRatio, percent)],
          [text.now.preemptions, cell(replica.preemptionsPerMinute, perMinute)],
          [text.columns.ttftP50, cell(replica.ttftMsP50, ms, few50)],
          [text.columns.ttftP99, cell(replica.ttftMsP99, ms, few99)],
          [text.columns.itlP99, cell(replica.itlMsP99, ms, few99)],
          [
            text.columns.output,
            cell(replica.outputTokensPerSecond, (value) => rate(value, text.unit.tokens)),
          ],
        ]}
      />
    </DrawerSection>
  )
}

function Router({ suspect: { traffic, load } }: NowProps) {
  const perMinute = (value: number | undefined) =>
    value === undefined ? missing : text.now.perMinute(count(value))
  return (
    <DrawerSection title={words.decisions.title} aside={words.overview.place.proxy}>
      <Facts
        rows={[
          [text.now.inFlight, traffic ? count(traffic.inFlight) : missing],
          [text.columns.load, load === null ? missing : times(load)],
          [text.now.picks, perMinute(traffic?.picks)],
          [text.now.served, perMinute(traffic?.served)],
          [text.now.failed, perMinute(traffic?.failed)],
          [text.columns.sessions, traffic ? count(traffic.sessions) : missing],
          [text.now.ttftProxy, traffic ? percentilesOf(traffic.ttftMs) : missing],
        ]}
      />
    </DrawerSection>
  )
}

function Identity({ suspect: { replica }, sources }: NowProps) {
  const now = useShownNow()
  const source = sources.find(({ id }) => id === replica.state.source)
  const up = replica.upSinceWallMs
  return (
    <DrawerSection title={text.columns.replica}>
      <Facts
        rows={[
          [text.now.model, visible(replica.replica.model)],
          [
            text.now.address,
            <span key="address" className="font-mono">
              {visible(replica.replica.url)}
            </span>,
          ],
          [text.columns.up, up === null ? missing : duration(now.wallMs - up)],
          [text.now.source, source ? `${visible(source.kind)}: ${source.state}` : missing],
          [text.now.lastError, visible(replica.lastError ?? source?.lastError ?? text.now.noError)],
        ]}
      />
    </DrawerSection>
  )
}

function percentilesOf({
  p50,
  p99,
  n,
}: {
  readonly p50: number | null
  readonly p99: number | null
  readonly n: number
}): string {
  if (p50 === null || p99 === null) return missing
  return text.now.percentiles(latency(p50), latency(p99), count(n))
}

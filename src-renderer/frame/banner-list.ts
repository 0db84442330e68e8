import type { Millis } from '../../src-main/base/units'
import type { FleetSnapshot } from '../../src-main/domain/fleet/replica'
import { downOf, severityOf } from '../../src-main/domain/journal/severity'
import { type HealthView, ratioOf, type SummaryView } from '../../src-main/domain/journal/views'
import { duration } from '../format/durations'
import { count, percent } from '../format/numbers'
import { clock, type Zone } from '../format/times'
import { visible } from '../format/visible'
import type { Tone } from '../kit/mark'
import type { EndCode, Link } from '../state/connection'
import type { Gap } from '../state/feed-stores'
import type { Arrival } from '../state/page'
import { words } from '../words/en'

/** A message across the page, and what can be done about it. */
export interface PageBanner {
  readonly id: string
  readonly tone: Tone
  readonly text: string
  readonly action: 'retry' | 'reload' | 'dismiss' | 'charts' | null
  /** Stands behind the bell alone: the page says it already, or it is none of the things that must be read at once. */
  readonly quiet?: true
}

/** What the banners are made from. */
export interface BannerFacts {
  readonly link: Link
  readonly health: HealthView | null
  readonly summary: SummaryView | null
  readonly fleet: FleetSnapshot | null
  /** The view that is shown: the overview's headline says what the banner would. */
  readonly view: string
  readonly gaps: readonly Gap[]
  readonly dismissed: ReadonlySet<string>
  /** What the window was opened after; `safe` while charts are left out. */
  readonly arrival: Arrival | null
  readonly nowWallMs: Millis
  readonly nowMonoMs: Millis
  readonly zone: Zone
}

/** A gap is news for this long; later it stands in the timeline and on the charts. */
const gapNewsMs: Millis = 60_000

/**
 * All that is to be said, the worst first: connection, what is broken now, what was lost, age, then warnings. A gap comes
 * after the warning that says why there is one (a process that ended).
 */
export function bannersOf(facts: BannerFacts): readonly PageBanner[] {
  return [
    ...connectionBanners(facts),
    ...healthBanners(facts, 'critical'),
    ...clusterBanners(facts),
    ...faultBanners(facts),
    ...lostStreams(facts),
    ...silence(facts),
    ...arrivalBanners(facts),
    ...healthBanners(facts, 'warning'),
    ...gapBanners(facts),
    ...healthBanners(facts, 'notice'),
  ].filter(({ id }) => !facts.dismissed.has(id))
}

const ended: Readonly<Record<EndCode, (why: string) => string>> = {
  unauthorised: () => words.banners.unauthorised,
  replaced: () => words.banners.replaced,
  forbidden: () => words.banners.forbidden,
  'no-ticket': () => words.banners.noTicket,
  'used-ticket': () => words.banners.usedTicket,
  protocol: words.banners.protocol,
}

function connectionBanners({ link, nowMonoMs, zone }: BannerFacts): PageBanner[] {
  if (link.phase === 'ended')
    return [
      {
        id: 'link',
        tone: 'crit',
        text: ended[link.end](visible(link.why)),
        action: link.end === 'protocol' ? 'reload' : null,
      },
    ]
  if (link.phase !== 'waiting') return []
  const left = Math.ceil((link.retryMonoMs - nowMonoMs) / 1_000)
  const next = left > 0 ? words.banners.retryIn(left) : words.banners.retrying
  const text = words.banners.waiting(visible(link.why), clock(link.sinceWallMs, zone))
  return [{ id: 'link', tone: 'crit', text: `${text} ${next}`, action: 'retry' }]
}

/** The window died and came back (faults F73 to F75). */
function arrivalBanners({ arrival }: BannerFacts): PageBanner[] {
  if (arrival === null) return []
  return [
    arrival === 'safe'
      ? { id: 'safe', tone: 'warn', text: words.banners.safe, action: 'charts' }
      : { id: 'restarted', tone: 'info', text: words.banners.restarted, action: 'dismiss' },
  ]
}

/** What hurts users, and replicas that are down: on every view, as the headline judges it. Of old figures nothing is said. */
function clusterBanners(facts: BannerFacts): PageBanner[] {
  const { link, summary, fleet, view, nowWallMs } = facts
  if (link.phase !== 'open') return []
  const { level, by } = severityOf(summary, fleet, nowWallMs)
  const { down, all } = downOf(fleet)
  const felt = by === null || by === 'down' ? null : feltText[by](facts)
  const deadTone: Tone = down === all ? 'crit' : 'warn'
  const told: PageBanner[] = [
    ...(felt === null ? [] : [alert('users', level === 'critical' ? 'crit' : 'warn', felt)]),
    ...(down === 0 ? [] : [alert('down', deadTone, words.banners.down(down, all))]),
  ]
  return told.map((each) => (each.tone === 'crit' && view !== 'overview' ? each : { ...each, quiet: true }))
}

const alert = (id: string, tone: Tone, text: string): PageBanner => ({ id, tone, text, action: null })

const share = (of: SummaryView['errors'] | undefined) => percent((of && ratioOf(of)) ?? 0)
const feltText = {
  failing: ({ summary, zone }: BannerFacts) =>
    words.banners.failing(clock(summary?.failingSinceWallMs ?? 0, zone), share(summary?.errors)),
  errors: ({ summary }: BannerFacts) => words.banners.errors(share(summary?.errors)),
  over: ({ summary, zone }: BannerFacts) => words.banners.over(clock(summary?.failed?.toWallMs ?? 0, zone)),
  breaks: ({ summary }: BannerFacts) => words.banners.breaks(share(summary?.breaks)),
}

/** Nobody shall forget a fault that is on. */
function faultBanners({ health, zone }: BannerFacts): PageBanner[] {
  return (health?.faults ?? []).map(({ name, replicaId, sinceWallMs }) => ({
    id: `fault-${name}-${replicaId}`,
    tone: 'warn',
    text: words.banners.fault(name, replicaId === null ? '' : visible(replicaId), clock(sinceWallMs, zone)),
    action: null,
  }))
}

function lostStreams({ health }: BannerFacts): PageBanner[] {
  const lost = health?.lostStreams ?? 0
  if (lost === 0) return []
  return [
    { id: `lost-${lost}`, tone: 'crit', text: words.banners.lostStreams(count(lost)), action: 'dismiss' },
  ]
}

function gapBanners({ gaps, nowWallMs, zone }: BannerFacts): PageBanner[] {
  const gap = gaps.filter((each) => nowWallMs - each.toWallMs < gapNewsMs).at(-1)
  if (!gap) return []
  const why = words.banners.gapWhy[gap.why]
  const text = words.banners.gap(clock(gap.fromWallMs, zone), clock(gap.toWallMs, zone), why)
  return [{ id: `gap-${gap.toWallMs}`, tone: 'warn', text, action: 'dismiss' }]
}

function silence({ link, nowWallMs, zone }: BannerFacts): PageBanner[] {
  if (link.phase !== 'silent') return []
  const text = words.banners.silent(duration(nowWallMs - link.sinceWallMs), clock(link.sinceWallMs, zone))
  return [{ id: 'silent', tone: 'stale', text, action: null }]
}

const tones = { critical: 'crit', warning: 'warn', notice: 'info' } as const

function healthBanners({ health }: BannerFacts, severity: keyof typeof tones): PageBanner[] {
  return (health?.banners ?? [])
    .filter((banner) => banner.severity === severity)
    .map(({ id, text }) => ({
      id: `health-${id}`,
      tone: tones[severity],
      text: visible(text),
      action: severity === 'notice' ? 'dismiss' : null,
    }))
}

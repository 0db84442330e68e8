import type { Millis } from '../../base/units'
import type { ActiveFault, PolicyInForce } from '../../domain/journal/record'
import type { Banner, HealthView, ProcessReport } from '../../domain/journal/views'

/** What control knows of itself, changed in place by its parts; `view` makes the picture that screens get. */
export interface Health {
  readonly version: string
  readonly startedWallMs: Millis
  readonly speed: number
  readOnly: boolean
  store: HealthView['store']
  proxyUrl: string | null
  routerUrl: string | null
  policy: PolicyInForce
  faults: readonly ActiveFault[]
  traffic: HealthView['traffic']
  lostStreams: number
  droppedRecords: number
  /** Things to know that are there until somebody ends them, by id. */
  readonly standing: Map<string, Banner>
}

/** Shows a banner until it is deleted by its id; one whose words change is as old as it was. */
export function keepStanding(
  { standing }: Health,
  banner: Omit<Banner, 'sinceWallMs'>,
  wallMs: Millis,
): void {
  standing.set(banner.id, { ...banner, sinceWallMs: standing.get(banner.id)?.sinceWallMs ?? wallMs })
}

/** How long a restart stays on the screen as a banner after all is well again. */
const restartShownMs: Millis = 15_000

/** The picture of this instant. */
export function viewOf(health: Health, processes: readonly ProcessReport[], wallMs: Millis): HealthView {
  const { standing, ...rest } = health
  return {
    ...rest,
    cluster: 'demo',
    environment: 'DEMO',
    processes,
    banners: [
      ...processBanners(processes, health.lostStreams, wallMs),
      ...storeBanner(health),
      ...standing.values(),
    ],
  }
}

function processBanners(processes: readonly ProcessReport[], lostStreams: number, wallMs: Millis): Banner[] {
  return processes.flatMap((each): Banner[] => {
    const { role, state, sinceWallMs, restarts, lastExit } = each
    const id = `process-${role}`
    const lost = role === 'router' && lostStreams > 0 ? `; ${lostStreams} streams were lost so far` : ''
    if (state === 'stopped' && lastExit !== null) {
      const text = `The ${role} process keeps ending (${lastExit}) and is left down. Restart Signalbox after fixing the cause${lost}.`
      return [{ id, severity: 'critical', text, sinceWallMs }]
    }
    if (restarts === 0) return []
    if (state !== 'up') {
      return [
        {
          id,
          severity: 'critical',
          text: `The ${role} process ended (${lastExit}) and is being restarted${lost}.`,
          sinceWallMs,
        },
      ]
    }
    if (wallMs - sinceWallMs > restartShownMs) return []
    return [
      {
        id,
        severity: lost === '' ? 'warning' : 'critical', // streams that were cut stay bad news for a while
        text: `The ${role} process ended (${lastExit}) and was restarted${lost}.`,
        sinceWallMs,
      },
    ]
  })
}

/** What is kept of the history when not all is well, by state of the store. */
const keptWords: Readonly<Record<HealthView['store']['state'], string>> = {
  ok: 'The stored history is kept, but not whole',
  memory: 'History is kept in memory only and ends with this run',
  'read-only': 'The stored history can be read but not added to',
}

function storeBanner({ store, startedWallMs }: Health): Banner[] {
  if (store.state === 'ok' && store.why === null) return []
  const text = `${keptWords[store.state]}: ${store.why?.replace(/\.$/, '') ?? 'reason unknown'}.`
  return [{ id: 'store', severity: 'warning', text, sinceWallMs: startedWallMs }]
}

import { RefreshCw } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { words } from '../words/en'
import { Button } from './button'
import { Mark, type Tone, toneIcons, toneText } from './mark'

/** Loading that ends within this time shows nothing at all (ux.md 18). */
const nothingForMs = 300
/** Loading that takes longer says what it waits for. */
const silentForMs = 3_000

/** The picture of what will stand here. */
export function Loading({
  rows = 6,
  waitingFor,
}: {
  readonly rows?: number
  /** What is awaited, as part of a sentence. */
  readonly waitingFor: string
}) {
  const passed = usePassed([nothingForMs, silentForMs])
  if (passed === 0) return null
  return (
    <div role="status" className="flex flex-col gap-2 p-3">
      <span className="sr-only">{words.states.waitingFor(waitingFor)}</span>
      {passed > 1 ? <p className="text-muted">{words.states.waitingFor(waitingFor)}</p> : null}
      {Array.from({ length: rows }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars of a picture
        <div key={at} aria-hidden="true" className="h-4 rounded-control bg-hover" />
      ))}
    </div>
  )
}

/** How many of these waits have passed since the component came. */
function usePassed(waitsMs: readonly number[]): number {
  const [passed, setPassed] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the waits count from the first drawing
  useEffect(() => {
    const timers = waitsMs.map((ms, at) => setTimeout(() => setPassed(at + 1), ms))
    return () => {
      for (const timer of timers) clearTimeout(timer)
    }
  }, [])
  return passed
}

/** Nothing to show, and why: what will be here, or which filter hides it. */
export function Empty({
  title,
  hint,
  action,
}: {
  readonly title: string
  readonly hint?: string | undefined
  readonly action?: ReactNode
}) {
  return (
    <div className="flex flex-col items-start gap-1 p-4">
      <p className="text-14 text-ink">{title}</p>
      {hint ? <p className="text-muted">{hint}</p> : null}
      {action ? <div className="pt-2">{action}</div> : null}
    </div>
  )
}

/** Something failed: what, and what can be done. Stands beside the last good data, never in its place. */
export function Failure({
  what,
  why,
  onRetry,
}: {
  readonly what: string
  readonly why: string
  readonly onRetry?: () => void
}) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 px-3 py-2">
      <Mark tone="warn">{what}</Mark>
      <span className="min-w-0 flex-1 break-words text-muted">{why}</span>
      {onRetry ? (
        <Button icon={RefreshCw} onClick={onRetry}>
          {words.states.retry}
        </Button>
      ) : null}
    </div>
  )
}

/** One message across the view; the worst there is. */
export function Banner({
  tone,
  children,
  action,
}: {
  readonly tone: Tone
  readonly children: ReactNode
  readonly action?: ReactNode
}) {
  const Icon = toneIcons[tone]
  const soft =
    tone === 'crit' ? 'bg-soft-crit' : tone === 'warn' || tone === 'stale' ? 'bg-soft-warn' : 'bg-raised'
  const look = tone === 'stale' ? 'text-warn' : toneText[tone]
  return (
    <div
      role={tone === 'crit' ? 'alert' : 'status'}
      className={`z-banner flex min-h-8 items-center gap-3 border-line border-b px-3 py-1 ${soft}`}
    >
      <Icon aria-hidden="true" className={`size-4 shrink-0 ${look}`} />
      <p className={`min-w-0 flex-1 ${look}`}>{children}</p>
      {action}
    </div>
  )
}

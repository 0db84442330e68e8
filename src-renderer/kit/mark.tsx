import {
  ArrowDownToLine,
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  Clock,
  Info,
  type LucideIcon,
  OctagonX,
  TriangleAlert,
} from 'lucide-react'
import type { ReactNode } from 'react'

/** What a state means; each has its own shape as well as its colour (ux.md 10). */
export type Tone = 'ok' | 'warn' | 'crit' | 'drain' | 'stale' | 'unknown' | 'info' | 'quiet'

/** The shape of each tone. */
export const toneIcons: Readonly<Record<Tone, LucideIcon>> = {
  ok: CircleCheck,
  warn: TriangleAlert,
  crit: OctagonX,
  drain: ArrowDownToLine,
  stale: Clock,
  unknown: CircleQuestionMark,
  info: Info,
  quiet: CircleDashed,
}

/** The text colour of each tone. */
export const toneText: Readonly<Record<Tone, string>> = {
  ok: 'text-ok',
  warn: 'text-warn',
  crit: 'text-crit',
  drain: 'text-drain',
  stale: 'text-stale',
  unknown: 'text-stale',
  info: 'text-accent',
  quiet: 'text-faint',
}

/** The tint behind a row or card of each tone. */
export const toneSoft: Readonly<Record<Tone, string>> = {
  ok: 'bg-soft-ok',
  warn: 'bg-soft-warn',
  crit: 'bg-soft-crit',
  drain: 'bg-soft-drain',
  stale: '',
  unknown: '',
  info: '',
  quiet: '',
}

/** A state: shape and word, both in its colour. */
export function Mark({
  tone,
  icon: Icon = toneIcons[tone],
  children,
  title,
  wraps = false,
}: {
  readonly tone: Tone
  readonly icon?: LucideIcon | undefined
  readonly children: ReactNode
  readonly title?: string | undefined
  /** Shown whole, on several lines when need be; otherwise cut to one. */
  readonly wraps?: boolean
}) {
  return (
    <span
      className={`inline-flex max-w-full min-w-0 items-center gap-1 align-middle ${toneText[tone]}`}
      title={title}
    >
      <Icon aria-hidden="true" className="size-3.5 shrink-0" />
      <span className={wraps ? 'min-w-0 break-words' : 'truncate'}>{children}</span>
    </span>
  )
}

/** The shape of a tone alone, beside a text that says the rest. */
export function ToneIcon({ tone }: { readonly tone: Tone }) {
  const Icon = toneIcons[tone]
  return <Icon aria-hidden="true" className={`size-4 shrink-0 ${toneText[tone]}`} />
}

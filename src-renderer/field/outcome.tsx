import {
  CircleCheck,
  CircleDashed,
  CornerDownRight,
  FileWarning,
  LogOut,
  type LucideIcon,
  OctagonX,
  Scissors,
  TimerOff,
  TriangleAlert,
} from 'lucide-react'
import type { DecisionRow } from '../../src-main/domain/journal/record'
import { standingOf } from '../../src-main/domain/journal/row-facts'
import type { Standing } from '../../src-main/domain/routing/outcome'
import { visible } from '../format/visible'
import { Mark, type Tone } from '../kit/mark'
import { words } from '../words/en'

const looks: Readonly<Record<Standing, { readonly tone: Tone; readonly icon: LucideIcon }>> = {
  ok: { tone: 'ok', icon: CircleCheck },
  fallback: { tone: 'warn', icon: CornerDownRight },
  'client-left': { tone: 'quiet', icon: LogOut },
  'client-error': { tone: 'warn', icon: FileWarning },
  'replica-error': { tone: 'crit', icon: TriangleAlert },
  timeout: { tone: 'crit', icon: TimerOff },
  broken: { tone: 'crit', icon: Scissors },
  refused: { tone: 'crit', icon: OctagonX },
  open: { tone: 'info', icon: CircleDashed },
  'routed-only': { tone: 'quiet', icon: CircleDashed },
}

/** A row's outcome in a cell: shape, word and, where it failed, status and reason. */
export function OutcomeMark({ row }: { readonly row: DecisionRow }) {
  const standing = standingOf(row)
  const { tone, icon } = looks[standing]
  const word = words.field.outcome[standing]
  const { outcome } = row
  const detail =
    outcome && standing !== 'ok' && standing !== 'fallback' && outcome.status > 0
      ? `${outcome.status} ${outcome.serveReason ?? visible(outcome.reason)}`
      : outcome && standing === 'ok'
        ? `${word} ${outcome.status}`
        : word
  const help = standing === 'routed-only' ? words.field.routerOnlyHelp : `${word}: ${detail}`
  return (
    <Mark tone={tone} icon={icon} title={help}>
      {detail}
    </Mark>
  )
}

/** The tint of a row that needs eyes. */
export function rowTint(row: DecisionRow): string {
  const { tone } = looks[standingOf(row)]
  return tone === 'crit' ? 'bg-soft-crit' : tone === 'warn' ? 'bg-soft-warn' : ''
}

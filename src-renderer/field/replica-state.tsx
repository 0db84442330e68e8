import {
  ArrowDownToLine,
  Ban,
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  type LucideIcon,
  OctagonX,
} from 'lucide-react'
import type { Millis } from '../../src-main/base/units'
import { freshness } from '../../src-main/domain/fleet/freshness'
import type { ReplicaSnapshot } from '../../src-main/domain/fleet/replica'
import { Mark, type Tone } from '../kit/mark'
import { words } from '../words/en'

/** What a replica is called on screen. */
export interface ReplicaStanding {
  readonly word: string
  readonly tone: Tone
  readonly icon: LucideIcon
  readonly title?: string
}

const looks = {
  starting: { tone: 'info', icon: CircleDashed },
  ready: { tone: 'ok', icon: CircleCheck },
  draining: { tone: 'drain', icon: ArrowDownToLine },
  down: { tone: 'crit', icon: OctagonX },
} as const satisfies Record<string, { tone: Tone; icon: LucideIcon }>

/** The standing of a replica. A state that is stale is no state: it is unknown, and the last one stands in the tooltip. */
export function replicaStanding(replica: ReplicaSnapshot, monoMs: Millis, everyMs: Millis): ReplicaStanding {
  const { state, excluded } = replica
  const unknown = { word: words.field.unknownState, tone: 'unknown', icon: CircleQuestionMark } as const
  if ('absent' in state) return { ...unknown, title: words.field.absence[state.absent] }
  if (freshness(monoMs - state.takenMonoMs, everyMs) === 'stale')
    return { ...unknown, title: words.field.lastState(words.field.replicaState[state.value]) }
  if (excluded && state.value === 'ready') return { word: words.field.excluded, tone: 'drain', icon: Ban }
  return { word: words.field.replicaState[state.value], ...looks[state.value] }
}

/** A replica's state: shape, word, colour. */
export function ReplicaState({ standing }: { readonly standing: ReplicaStanding }) {
  return (
    <Mark tone={standing.tone} icon={standing.icon} title={standing.title}>
      {standing.word}
    </Mark>
  )
}

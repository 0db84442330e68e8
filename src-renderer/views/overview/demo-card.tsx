import { Pause, Play, RotateCcw, X } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { type FaultName, faultNames } from '../../../src-main/domain/journal/record'
import type { HealthView } from '../../../src-main/domain/journal/views'
import { duration } from '../../format/durations'
import { count, rate } from '../../format/numbers'
import { clock } from '../../format/times'
import { Button, IconButton } from '../../kit/button'
import { Hint } from '../../kit/hint'
import { Mark } from '../../kit/mark'
import { Panel } from '../../kit/panel'
import { useChange } from '../../state/use-call'
import { useNow } from '../../state/use-now'
import { usePage } from '../../state/use-page'
import { useHealth, useStore } from '../../state/use-store'
import { useWrites } from '../../state/use-writes'
import { words } from '../../words/en'

const text = words.overview
const cardId = 'demo'

/** Controls of the embedded cluster: traffic, size, faults. All of tier R0 (ux.md 7.1): local, at once, undone as easily. */
export function DemoCard() {
  const { preferences } = usePage()
  const chosen = useStore(preferences)
  const health = useHealth()
  const writes = useWrites()
  if (!health || writes === 'absent') return null
  const blocked = writes === 'blocked' ? words.frame.writesBlocked : null
  if (chosen.dismissed.includes(cardId))
    return (
      <div>
        <Button
          onClick={() =>
            preferences.set({ ...chosen, dismissed: chosen.dismissed.filter((id) => id !== cardId) })
          }
        >
          {text.showCard}
        </Button>
      </div>
    )
  return (
    <Panel
      title={text.demo}
      aside={
        <IconButton
          icon={X}
          label={text.hideCard}
          onClick={() => preferences.set({ ...chosen, dismissed: [...chosen.dismissed, cardId] })}
        />
      }
    >
      <p className="pb-2 text-12 text-faint">
        {text.demoHelp} {text.speed(count(health.speed))}
      </p>
      <div className="flex flex-col gap-2">
        <Traffic health={health} blocked={blocked} />
        <Scale blocked={blocked} />
        <Faults health={health} blocked={blocked} />
      </div>
    </Panel>
  )
}

function Line({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-2">
      <span className="w-16 shrink-0 text-muted">{title}</span>
      {children}
    </div>
  )
}

function Traffic({ health, blocked }: { readonly health: HealthView; readonly blocked: string | null }) {
  const { running, ratePerSecond, sent, failed } = health.traffic
  const set = useChange('traffic.set', (_, asked) =>
    text.trafficSet(asked.running, rate(asked.ratePerSecond, text.rateUnit)),
  )
  return (
    <Line title={text.traffic}>
      <Mark tone={running ? 'ok' : 'quiet'}>{running ? text.trafficOn : text.trafficOff}</Mark>
      <Button
        icon={running ? Pause : Play}
        blocked={blocked}
        onClick={() => set.mutate({ running: !running, ratePerSecond })}
      >
        {running ? text.stopTraffic : text.startTraffic}
      </Button>
      <NumberForm
        label={text.rate}
        unit={text.rateUnit}
        action={text.setRate}
        current={ratePerSecond}
        valid={(value) => value >= 0.1 && value <= 500}
        invalid={text.badRate}
        blocked={blocked}
        onSet={(value) => set.mutate({ running: true, ratePerSecond: value })}
      />
      <span className="text-12 text-faint">{text.sent(count(sent), count(failed))}</span>
    </Line>
  )
}

function Scale({ blocked }: { readonly blocked: string | null }) {
  const fleet = useStore(usePage().feed.fleet)
  const scale = useChange('fleet.scale', ({ from, to }) => text.scaled(from, to))
  if (!fleet) return null
  return (
    <Line title={text.scale}>
      <NumberForm
        label={text.scale}
        unit=""
        action={text.scaleTo}
        current={fleet.replicas.length}
        valid={(value) => Number.isInteger(value) && value >= 1 && value <= 64}
        invalid={text.badScale}
        blocked={blocked}
        onSet={(replicas) => scale.mutate({ replicas })}
      />
    </Line>
  )
}

/** A number and a button; it follows the server's value until somebody types. */
function NumberForm(props: {
  readonly label: string
  readonly unit: string
  readonly action: string
  readonly current: number
  valid(value: number): boolean
  readonly invalid: string
  readonly blocked: string | null
  onSet(value: number): void
}) {
  const [typed, setTyped] = useState<string | null>(null)
  const shown = typed ?? String(props.current)
  const value = Number(shown)
  const valid = shown.trim() !== '' && props.valid(value)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!valid || props.blocked) return
    props.onSet(value)
    setTyped(null)
  }
  return (
    <form onSubmit={submit} className="flex items-center gap-2">
      <input
        aria-label={props.label}
        aria-invalid={!valid}
        inputMode="decimal"
        value={shown}
        onChange={(event) => setTyped(event.target.value)}
        className="h-6 w-16 rounded-control border border-control bg-panel px-2 text-right font-mono aria-invalid:border-crit"
      />
      {props.unit ? <span className="text-faint">{props.unit}</span> : null}
      <Button type="submit" blocked={props.blocked ?? (valid ? null : props.invalid)}>
        {props.action}
      </Button>
    </form>
  )
}

function Faults({ health, blocked }: { readonly health: HealthView; readonly blocked: string | null }) {
  const { preferences } = usePage()
  const { zone } = useStore(preferences)
  const now = useNow()
  const set = useChange('faults.set', (_, asked) => text.faultOn(asked.name))
  const clear = useChange('faults.clear', ({ cleared }) => text.faultsCleared(cleared))
  const on = new Set<FaultName>(health.faults.map(({ name }) => name))
  return (
    <>
      <Line title={text.faults}>
        {faultNames.map((name) => (
          <Hint key={name} text={text.faultHelp[name]}>
            <span>
              <Button
                blocked={blocked ?? (on.has(name) && name !== 'replica-kill' ? text.faultAlreadyOn : null)}
                onClick={() => set.mutate({ name, replicaId: null, forMs: null })}
              >
                {text.fault[name]}
              </Button>
            </span>
          </Hint>
        ))}
      </Line>
      <Line title="">
        {health.faults.length === 0 ? <Mark tone="quiet">{text.noFaults}</Mark> : null}
        {health.faults.map(({ name, sinceWallMs, untilWallMs }) => (
          <Mark key={`${name}-${sinceWallMs}`} tone="warn">
            {untilWallMs === null
              ? text.faultSince(name, clock(sinceWallMs, zone))
              : text.faultUntil(name, duration(untilWallMs - now.wallMs))}
          </Mark>
        ))}
        {health.faults.length > 0 ? (
          <Button icon={RotateCcw} kind="primary" blocked={blocked} onClick={() => clear.mutate({})}>
            {text.clearFaults}
          </Button>
        ) : null}
      </Line>
    </>
  )
}

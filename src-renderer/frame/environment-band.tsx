import { Bell, Lock, LockOpen } from 'lucide-react'
import { Popover } from 'radix-ui'
import { visible } from '../format/visible'
import { Hint } from '../kit/hint'
import { ToneIcon } from '../kit/mark'
import { useHealth } from '../state/use-store'
import { words } from '../words/en'
import { useBanners } from './banner-slot'
import { SourceChips } from './source-chips'

/** Which environment this is, in text and colour, whether it can be changed from here, and how its parts are. */
export function EnvironmentBand() {
  const health = useHealth()
  return (
    <header className="flex h-7 shrink-0 items-center gap-3 bg-band-demo px-3 text-on-band">
      <strong className="font-strong tracking-wider">
        {words.frame.environment[health?.environment ?? 'DEMO']}
      </strong>
      <span className="truncate text-12">
        {health ? visible(health.cluster) : words.frame.product} · {words.frame.demoMark}
      </span>
      {health ? <WriteChip readOnly={health.readOnly} /> : null}
      <div className="ml-auto flex min-w-0 items-center gap-2">
        <SourceChips />
        <Alerts />
      </div>
    </header>
  )
}

function WriteChip({ readOnly }: { readonly readOnly: boolean }) {
  const Icon = readOnly ? Lock : LockOpen
  return (
    <Hint text={readOnly ? words.frame.readOnlyHelp : words.frame.writesOnHelp}>
      <button
        type="button"
        className="inline-flex h-6 shrink-0 items-center gap-1 rounded-control px-1.5 text-12 ring-1 ring-on-band/60 ring-inset"
      >
        <Icon aria-hidden="true" className="size-3.5" />
        {readOnly ? words.frame.readOnly : words.frame.writesOn}
      </button>
    </Hint>
  )
}

function Alerts() {
  const banners = useBanners()
  const open = banners.filter(({ tone }) => tone !== 'info')
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={words.frame.alerts(open.length)}
        className={`inline-flex h-6 shrink-0 items-center gap-1 rounded-control px-1.5 text-12 ${open.length > 0 ? 'bg-on-band font-strong text-band-demo' : 'hover:bg-on-band/15'}`}
      >
        <Bell aria-hidden="true" className="size-3.5" />
        {open.length}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-label={words.frame.alerts(open.length)}
          className="z-banner w-96 rounded-panel border border-line bg-raised p-3 text-13 text-ink shadow-menu"
        >
          {banners.length === 0 ? <p className="text-muted">{words.frame.noAlerts}</p> : null}
          <ul className="flex flex-col gap-2">
            {banners.map(({ id, tone, text }) => (
              <li key={id} className="flex gap-2">
                <ToneIcon tone={tone} />
                <span className="min-w-0 break-words">{text}</span>
              </li>
            ))}
          </ul>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

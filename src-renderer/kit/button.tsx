import type { LucideIcon } from 'lucide-react'
import type { ComponentPropsWithRef, ReactNode } from 'react'
import { Hint } from './hint'

const base =
  'inline-flex min-h-6 shrink-0 items-center justify-center gap-1.5 rounded-control border px-2 text-13 whitespace-nowrap'
const kinds = {
  plain: 'border-control bg-panel text-ink hover:bg-hover',
  quiet: 'border-transparent text-muted hover:bg-hover hover:text-ink',
  primary: 'border-primary bg-primary text-on-primary font-strong',
  danger: 'border-danger bg-danger text-on-danger font-strong',
} as const

type ButtonProps = Omit<ComponentPropsWithRef<'button'>, 'className' | 'children'> & {
  readonly kind?: keyof typeof kinds
  readonly icon?: LucideIcon
  readonly children: ReactNode
  /** Why it cannot be used now; the button then stays in reach of the keyboard and says so. */
  readonly blocked?: string | null | undefined
}

/** A button: verb and object. A blocked one says why, and what would unblock it. */
export function Button({ kind = 'plain', icon: Icon, children, blocked, onClick, ...rest }: ButtonProps) {
  const button = (
    <button
      type="button"
      {...rest}
      onClick={blocked ? undefined : onClick}
      aria-disabled={blocked ? true : undefined}
      className={`${base} ${kinds[kind]} ${blocked ? 'cursor-not-allowed! text-faint! bg-transparent! border-line!' : ''}`}
    >
      {Icon ? <Icon aria-hidden="true" className="size-3.5" /> : null}
      {children}
    </button>
  )
  return blocked ? <Hint text={blocked}>{button}</Hint> : button
}

type IconButtonProps = Omit<ComponentPropsWithRef<'button'>, 'className' | 'children'> & {
  readonly icon: LucideIcon
  readonly label: string
}

/** A button that is only a picture; its name is its tooltip. */
export function IconButton({ icon: Icon, label, ...rest }: IconButtonProps) {
  return (
    <Hint text={label}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink"
      >
        <Icon aria-hidden="true" className="size-4" />
      </button>
    </Hint>
  )
}

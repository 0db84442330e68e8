import type { ReactNode } from 'react'
import { words } from '../words/en'

/** A part of a view with its heading. */
export function Panel({
  title,
  aside,
  children,
  flush = false,
}: {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
  /** The content reaches the border, as a table does. */
  readonly flush?: boolean
}) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col rounded-panel border border-line bg-panel">
      <header className="flex min-h-8 items-center gap-2 px-3 pt-1">
        <h2 className="text-13 font-strong text-muted">{title}</h2>
        <div className="ml-auto flex items-center gap-2">{aside}</div>
      </header>
      <div className={flush ? 'min-w-0' : 'min-w-0 px-3 pb-3'}>{children}</div>
    </section>
  )
}

/** Names and values, aligned. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-3 gap-y-0.5">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A key, or keys to be pressed one after the other. */
export function Keys({ of }: { readonly of: string }) {
  return (
    <span className="inline-flex gap-1">
      {(of === ' ' ? [words.kit.space] : of.split(' ')).map((key, at) => (
        <kbd
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a key sequence never move
          key={at}
          className="min-w-5 rounded-control border border-control px-1 text-center font-mono text-12 text-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  )
}

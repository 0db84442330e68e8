import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { words } from '../words/en'
import { IconButton } from './button'

/** Beside the view, not over its selected row; below 1280 px it overlays. Esc closes it (the frame sees to that). */
export function Drawer({
  title,
  onClose,
  footer,
  children,
}: {
  readonly title: string
  onClose(): void
  readonly footer?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <aside
      id="drawer"
      aria-label={title}
      tabIndex={-1}
      className="sb-slide-in absolute inset-y-0 right-0 z-drawer flex w-[30rem] max-w-full flex-col border-line border-l bg-panel wide:static wide:w-[32rem] wide:shrink-0"
    >
      <header className="flex min-h-10 items-center gap-2 border-line border-b px-3">
        <h2 className="truncate text-14 font-strong">{title}</h2>
        <div className="ml-auto">
          <IconButton icon={X} label={words.kit.closeDrawer} onClick={onClose} />
        </div>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">{children}</div>
      {footer ? <footer className="flex flex-wrap gap-2 border-line border-t p-2">{footer}</footer> : null}
    </aside>
  )
}

/** A part of a drawer, always in the same place. */
export function DrawerSection({
  title,
  aside,
  children,
}: {
  readonly title: string
  readonly aside?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className="border-line border-b px-3 py-2">
      <header className="flex items-center gap-2 pb-1">
        <h3 className="text-12 font-strong text-faint">{title}</h3>
        <div className="ml-auto text-12 text-faint">{aside}</div>
      </header>
      {children}
    </section>
  )
}

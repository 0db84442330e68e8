import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { words } from '../words/en'
import { IconButton } from './button'

/** A window over the page; Esc closes it and the focus goes back to where it was. */
export function Dialog({
  title,
  open,
  onClose,
  wide = false,
  children,
}: {
  readonly title: string
  readonly open: boolean
  onClose(): void
  readonly wide?: boolean
  readonly children: ReactNode
}) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-sheet bg-app/70" />
        <Radix.Content
          aria-describedby={undefined}
          tabIndex={-1}
          // Not the close button: its tooltip would take the first Esc for itself.
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            const box = event.currentTarget as HTMLElement
            ;(box.querySelector<HTMLElement>('textarea, input') ?? box).focus()
          }}
          className={`fixed top-36 left-1/2 z-sheet flex max-h-[calc(100vh-12rem)] -translate-x-1/2 flex-col rounded-panel border border-line bg-raised shadow-menu ${
            wide ? 'w-[min(60rem,92vw)]' : 'w-[min(32rem,92vw)]'
          }`}
        >
          <header className="flex min-h-10 items-center gap-2 border-line border-b px-4">
            <Radix.Title className="text-14 font-strong">{title}</Radix.Title>
            <div className="ml-auto">
              <IconButton icon={X} label={words.kit.close} onClick={onClose} />
            </div>
          </header>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard */}
          <div tabIndex={0} className="min-h-0 overflow-auto p-4 focus-visible:outline-offset-[-2px]">
            {children}
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

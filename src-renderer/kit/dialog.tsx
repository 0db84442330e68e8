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
          className={`fixed top-[12vh] left-1/2 z-sheet flex max-h-[76vh] -translate-x-1/2 flex-col rounded-panel border border-line bg-raised shadow-menu ${
            wide ? 'w-[min(60rem,92vw)]' : 'w-[min(32rem,92vw)]'
          }`}
        >
          <header className="flex min-h-10 items-center gap-2 border-line border-b px-4">
            <Radix.Title className="text-14 font-strong">{title}</Radix.Title>
            <div className="ml-auto">
              <IconButton icon={X} label={words.kit.close} onClick={onClose} />
            </div>
          </header>
          <div className="min-h-0 overflow-auto p-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

import { Tooltip } from 'radix-ui'
import type { ReactNode } from 'react'

/** A tooltip: hoverable, dismissable with Esc, and it stays while it is pointed at (WCAG 1.4.13). */
export function Hint({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={4}
          collisionPadding={8}
          className="z-banner max-w-80 rounded-control border border-line bg-raised px-2 py-1 text-12 text-ink shadow-menu"
        >
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

/** Tooltips open together quickly; around the whole page. */
export function HintProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Tooltip.Provider delayDuration={300} skipDelayDuration={200}>
      {children}
    </Tooltip.Provider>
  )
}

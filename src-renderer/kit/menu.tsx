import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'

/** One line of a menu. */
export interface MenuItem {
  readonly id: string
  readonly title: string
  readonly keys?: string
  /** Set for a line that is on or off. */
  readonly checked?: boolean
  run(): void
}

const itemLook =
  'flex min-h-6 items-center gap-4 rounded-control px-2 text-13 text-ink data-[highlighted]:bg-hover outline-none'

/** A menu behind a button. */
export function Menu({
  trigger,
  items,
  open,
  onOpenChange,
  focusAfter,
}: {
  readonly trigger: ReactNode
  readonly items: readonly MenuItem[]
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  /** What has the focus when the menu is closed; the button, when it says nothing. */
  readonly focusAfter?: () => HTMLElement | null
}) {
  return (
    <DropdownMenu.Root {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            const next = focusAfter?.()
            if (!next) return
            event.preventDefault()
            next.focus({ preventScroll: true })
          }}
          className="z-banner max-h-96 min-w-48 overflow-y-auto rounded-panel border border-line bg-raised p-1 shadow-menu"
        >
          {items.map((item) =>
            item.checked === undefined ? (
              <DropdownMenu.Item key={item.id} onSelect={item.run} className={itemLook}>
                <span className="flex-1">{item.title}</span>
                {item.keys ? <span className="font-mono text-12 text-faint">{item.keys}</span> : null}
              </DropdownMenu.Item>
            ) : (
              <DropdownMenu.CheckboxItem
                key={item.id}
                checked={item.checked}
                onSelect={(event) => event.preventDefault()}
                onCheckedChange={item.run}
                className={itemLook}
              >
                <span aria-hidden="true" className="w-3 text-accent">
                  {item.checked ? '✓' : ''}
                </span>
                <span className="flex-1">{item.title}</span>
              </DropdownMenu.CheckboxItem>
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

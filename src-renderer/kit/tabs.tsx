import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** One tab with what it shows. */
export interface Tab {
  readonly id: string
  readonly title: string
  readonly content: ReactNode
}

/** Tabs; arrow keys move between them. Only the chosen one's content is drawn. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <Radix.Root defaultValue={tabs[0]?.id ?? ''} className="flex min-h-0 flex-col">
      <Radix.List aria-label={label} className="flex border-line border-b px-2">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            className="min-h-8 border-transparent border-b-2 px-2 text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:font-strong data-[state=active]:text-ink focus-visible:outline-offset-[-2px]"
          >
            {tab.title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="min-h-0">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

import { Command } from 'cmdk'
import { useState } from 'react'
import { visible } from '../format/visible'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { words } from '../words/en'
import { type PaletteCommand, usePaletteCommands } from './palette-commands'

/** The command palette: everything that the page can do, by name; `=` an id, `@` a replica, `?` help. */
export function Palette({
  open,
  onClose,
  onNote,
  onShortcuts,
}: {
  readonly open: boolean
  onClose(): void
  onNote(): void
  onShortcuts(): void
}) {
  const [query, setQuery] = useState('')
  const commands = usePaletteCommands({ onNote, onShortcuts })
  const close = () => {
    setQuery('')
    onClose()
  }
  const lines = useLines(query, commands)
  return (
    <Command.Dialog
      open={open}
      onOpenChange={(next) => (next ? undefined : close())}
      label={words.palette.title}
      shouldFilter={!/^[=@]/.test(query)}
      filter={(value, search) => matches(value, search)}
      overlayClassName="fixed inset-0 z-palette bg-app/70"
      contentClassName="fixed top-36 left-1/2 z-palette w-[min(40rem,92vw)] -translate-x-1/2 rounded-panel border border-line bg-raised shadow-menu"
    >
      <Command.Input
        value={query}
        onValueChange={setQuery}
        placeholder={words.palette.placeholder}
        className="h-11 w-full border-line border-b bg-transparent px-4 text-14 outline-none"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-2">
        <Command.Empty className="p-3 text-muted">{words.palette.nothing}</Command.Empty>
        {groupsOf(lines).map(([group, own]) => (
          <Command.Group
            key={group}
            heading={group}
            className="text-12 text-faint [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1"
          >
            {own.map((line) => (
              <Command.Item
                key={line.id}
                value={line.title}
                disabled={line.run === null}
                onSelect={() => {
                  close()
                  line.run?.()
                }}
                className="flex min-h-8 items-center gap-3 rounded-control px-2 text-13 text-ink data-[selected=true]:bg-hover"
              >
                <span className="flex-1 truncate">{line.title}</span>
                {line.keys ? <span className="font-mono text-12 text-faint">{line.keys}</span> : null}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command.Dialog>
  )
}

/** Longest list of replicas or rows that is offered. */
const offeredMax = 12

function useLines(query: string, commands: readonly PaletteCommand[]): readonly PaletteCommand[] {
  const { feed, places } = usePage()
  const fleet = useStore(feed.fleet)
  const rows = useStore(feed.decisions).items
  const rest = query.slice(1).trim()
  if (query.startsWith('=')) {
    const known = rows.filter(
      ({ id, requestId }) => rest !== '' && (id.startsWith(rest) || requestId.startsWith(rest)),
    )
    const ids = [
      ...new Set([...known.slice(-offeredMax).map(({ id }) => id), ...(rest === '' ? [] : [rest])]),
    ]
    if (ids.length === 0)
      return [{ id: 'hint', group: words.palette.groups.ids, title: words.palette.explainHint, run: null }]
    return ids.map((id) => ({
      id,
      group: words.palette.groups.ids,
      title: words.palette.explain(visible(id)),
      run: () => places.go({ params: { sel: `decision:${id}` } }),
    }))
  }
  if (query.startsWith('@')) {
    const ids = fleet?.replicas.map(({ replica }) => replica.id).filter((id) => id.includes(rest)) ?? []
    return ids.slice(0, offeredMax).map((id) => ({
      id,
      group: words.palette.groups.replicas,
      title: words.palette.showReplica(visible(id)),
      run: () => places.go({ view: 'replicas', params: { sel: `replica:${id}` } }),
    }))
  }
  return query.startsWith('?') ? commands.filter(({ help }) => help) : commands
}

const groupsOf = (lines: readonly PaletteCommand[]) => {
  const groups = new Map<string, PaletteCommand[]>()
  for (const line of lines) groups.set(line.group, [...(groups.get(line.group) ?? []), line])
  return [...groups]
}

/** 1 when the letters of the search stand in the title in their order; the closer together, the nearer to 1. */
export function matches(title: string, search: string): number {
  const wanted = search
    .replace(/^[>?]\s*/, '')
    .toLowerCase()
    .replace(/\s+/g, '')
  if (wanted === '') return 1
  const text = title.toLowerCase()
  const whole = text.indexOf(wanted)
  if (whole >= 0) return 1 - whole / 1_000
  let at = -1
  let spread = 0
  for (const letter of wanted) {
    const next = text.indexOf(letter, at + 1)
    if (next < 0) return 0
    spread += at < 0 ? 0 : next - at - 1
    at = next
  }
  return 0.5 / (1 + spread)
}

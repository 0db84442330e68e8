import { Search, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { parseFilter } from '../../../src-main/domain/journal/filter'
import type { FilterError } from '../../../src-main/domain/journal/filter-terms'
import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { visible } from '../../format/visible'
import { Button, IconButton } from '../../kit/button'
import { words } from '../../words/en'
import { type Suggestion, suggestionsFor } from './suggestions'

const text = words.decisions

/** The filter: Enter applies, Esc restores the last, arrows choose a suggestion, and a mistake is pointed at where it is. */
export function FilterBox({
  applied,
  rows,
  onApply,
  focusToken,
}: {
  readonly applied: string
  readonly rows: readonly DecisionRow[]
  onApply(filter: string): void
  /** Goes up when the box should take the focus. */
  readonly focusToken: number
}) {
  const box = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useState(applied)
  const [chosen, setChosen] = useState(-1)
  const [open, setOpen] = useState(false)
  const listId = useId()
  useEffect(() => setDraft(applied), [applied])
  useEffect(() => {
    if (focusToken > 0) box.current?.focus()
  }, [focusToken])
  const suggestions = open ? suggestionsFor(draft, rows) : []
  const parsed = parseFilter(draft)
  const error = parsed.ok ? null : parsed.error
  const take = (suggestion: Suggestion) => {
    setDraft(suggestion.text)
    setChosen(-1)
    box.current?.focus()
  }
  const apply = () => {
    setOpen(false)
    if (parsed.ok) onApply(draft.trim())
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const picked = suggestions[chosen]
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      setOpen(true)
      const step = event.key === 'ArrowDown' ? 1 : -1
      setChosen(Math.min(Math.max(chosen + step, -1), suggestions.length - 1))
    } else if (event.key === 'Enter' && picked) take(picked)
    else if (event.key === 'Enter') apply()
    else if (event.key === 'Escape') {
      event.stopPropagation()
      setDraft(applied)
      setOpen(false)
      box.current?.blur()
    }
  }
  return (
    <div className="relative min-w-64 flex-1">
      <div
        className={`flex h-7 items-center gap-2 rounded-control border bg-panel px-2 focus-within:border-focus ${error ? 'border-crit' : 'border-control'}`}
      >
        <Search aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
        <input
          ref={box}
          role="combobox"
          aria-label={text.filter}
          aria-expanded={suggestions.length > 0}
          aria-controls={listId}
          aria-invalid={error !== null}
          aria-activedescendant={chosen >= 0 ? `${listId}-${chosen}` : undefined}
          value={draft}
          maxLength={1_000}
          spellCheck={false}
          autoComplete="off"
          placeholder={text.filterPlaceholder}
          title={text.filterHelp}
          onChange={(event) => {
            setDraft(event.target.value)
            setOpen(true)
            setChosen(-1)
          }}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
          className="min-w-0 flex-1 bg-transparent font-mono text-13 outline-none"
        />
        {draft !== '' ? (
          <IconButton icon={X} label={words.states.clearFilter} onClick={() => onApply('')} />
        ) : null}
      </div>
      {error && draft !== '' ? <Mistake draft={draft} error={error} onReplace={setDraft} /> : null}
      {!error && suggestions.length > 0 ? (
        <Suggestions id={listId} suggestions={suggestions} chosen={chosen} onTake={take} />
      ) : null}
    </div>
  )
}

/** Where the filter goes wrong, why, and what was probably meant. */
function Mistake({
  draft,
  error,
  onReplace,
}: {
  readonly draft: string
  readonly error: FilterError
  onReplace(draft: string): void
}) {
  const { at, length, message, suggestion } = error
  return (
    <div
      role="alert"
      className="absolute top-8 left-0 z-drawer flex max-w-full items-center gap-3 rounded-control border border-crit bg-raised px-2 py-1 text-12 shadow-menu"
    >
      <span className="font-mono whitespace-nowrap">
        <span className="text-faint">{visible(draft.slice(Math.max(0, at - 12), at))}</span>
        <span className="text-crit underline decoration-wavy">
          {visible(draft.slice(at, at + length)) || '␣'}
        </span>
      </span>
      <span className="min-w-0 text-crit">{visible(message)}</span>
      {suggestion !== null ? (
        <Button
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onReplace(draft.slice(0, at) + suggestion + draft.slice(at + length))}
        >
          {text.replaceWith(visible(suggestion))}
        </Button>
      ) : null}
    </div>
  )
}

function Suggestions({
  id,
  suggestions,
  chosen,
  onTake,
}: {
  readonly id: string
  readonly suggestions: readonly Suggestion[]
  readonly chosen: number
  onTake(suggestion: Suggestion): void
}) {
  return (
    <div
      id={id}
      role="listbox"
      tabIndex={-1}
      aria-label={text.suggestions}
      className="absolute top-8 left-0 z-drawer min-w-80 rounded-panel border border-line bg-raised p-1 shadow-menu"
    >
      {suggestions.map((suggestion, at) => (
        <div
          key={suggestion.text}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === chosen}
          // before the field loses the focus, which would close the list
          onMouseDown={(event) => {
            event.preventDefault()
            onTake(suggestion)
          }}
          className={`flex min-h-6 cursor-pointer items-center gap-4 rounded-control px-2 ${at === chosen ? 'bg-hover' : 'hover:bg-hover'}`}
        >
          <span className="font-mono">{visible(suggestion.shown)}</span>
          <span className="ml-auto text-12 text-faint">{suggestion.hint}</span>
        </div>
      ))}
    </div>
  )
}

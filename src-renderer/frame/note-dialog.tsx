import { type FormEvent, useState } from 'react'
import { clock, zoneName } from '../format/times'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { useChange } from '../state/use-call'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { useWrites } from '../state/use-writes'
import { words } from '../words/en'

/** A note for the timeline, at the cursor's instant or now. */
export function NoteDialog({ onClose }: { onClose(): void }) {
  const { cursor, time, preferences } = usePage()
  const { zone } = useStore(preferences)
  const writes = useWrites()
  const [atWallMs] = useState(() => cursor.get()?.wallMs ?? time.wallMs())
  const [text, setText] = useState('')
  const add = useChange('notes.add', () => words.notes.added)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '' && writes === 'allowed')
      add.mutate({ text: text.trim(), atWallMs }, { onSuccess: onClose })
  }
  return (
    <Dialog
      title={words.notes.title(`${clock(atWallMs, zone)} ${zoneName(atWallMs, zone)}`)}
      open
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <label className="flex flex-col gap-1">
          <span className="text-muted">{words.notes.label}</span>
          <textarea
            value={text}
            maxLength={500}
            rows={3}
            onChange={(event) => setText(event.target.value)}
            className="rounded-control border border-control bg-panel p-2"
          />
        </label>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{words.notes.cancel}</Button>
          <Button
            type="submit"
            kind="primary"
            blocked={
              writes === 'allowed'
                ? null
                : writes === 'absent'
                  ? words.notes.readOnly
                  : words.frame.writesBlocked
            }
          >
            {words.notes.add}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

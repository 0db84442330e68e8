import { Dialog } from '../kit/dialog'
import { Keys } from '../kit/panel'
import { modKey } from '../state/keys'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { words } from '../words/en'

/** The shortcuts that hold in this view now. */
export function ShortcutSheet({ open, onClose }: { readonly open: boolean; onClose(): void }) {
  const { keys, preferences } = usePage()
  const groups = useStore(keys.groups)
  const { singleKeys } = useStore(preferences)
  return (
    <Dialog title={words.shortcuts.title} open={open} onClose={onClose} wide>
      {singleKeys ? null : <p className="pb-3 text-warn">{words.shortcuts.off}</p>}
      <div className="columns-2 gap-8">
        {[...groups].reverse().map(({ title, shortcuts }) => (
          <section key={title} className="break-inside-avoid pb-4">
            <h3 className="pb-1 text-12 font-strong text-faint">{title}</h3>
            <ul>
              {shortcuts.map((shortcut) => (
                <li key={shortcut.keys} className="flex min-h-7 items-center gap-3">
                  <span className="flex-1">{shortcut.title}</span>
                  <Keys of={shortcut.keys.replace('mod+', `${modKey(navigator)}+`)} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

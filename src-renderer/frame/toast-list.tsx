import { X } from 'lucide-react'
import { visible } from '../format/visible'
import { IconButton } from '../kit/button'
import { ToneIcon } from '../kit/mark'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { words } from '../words/en'

/** What came of one's own actions: told politely, gone after six seconds. */
export function ToastList() {
  const { toasts } = usePage()
  const list = useStore(toasts.list)
  return (
    <section aria-live="polite" className="fixed right-4 bottom-10 z-palette flex w-88 flex-col gap-2">
      {list.map(({ id, tone, text }) => (
        <div
          key={id}
          className="flex items-start gap-2 rounded-panel border border-line bg-raised p-2 shadow-menu"
        >
          <ToneIcon tone={tone === 'done' ? 'ok' : 'crit'} />
          <p className="min-w-0 flex-1 break-words">{visible(text)}</p>
          <IconButton icon={X} label={words.kit.close} onClick={() => toasts.dismiss(id)} />
        </div>
      ))}
    </section>
  )
}

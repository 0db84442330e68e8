import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { views } from '../views'
import { words } from '../words/en'

/** The views, in the order of an incident. */
export function Navigation() {
  const { places } = usePage()
  const { view: current } = useStore(places.place)
  return (
    <nav
      aria-label={words.frame.navigation}
      className="flex w-34 shrink-0 flex-col gap-0.5 border-line border-r bg-panel p-2"
    >
      {views.map(({ id, title, icon: Icon }, at) => (
        <button
          key={id}
          type="button"
          aria-current={id === current ? 'page' : undefined}
          onClick={() => places.go({ view: id })}
          className={`flex min-h-8 items-center gap-2 rounded-control px-2 text-left ${
            id === current ? 'bg-hover font-strong text-ink' : 'text-muted hover:bg-hover hover:text-ink'
          }`}
        >
          <Icon aria-hidden="true" className="size-4 shrink-0" />
          <span className="flex-1 truncate">{title}</span>
          <span aria-hidden="true" className="font-mono text-12 text-faint">
            {at + 1}
          </span>
        </button>
      ))}
    </nav>
  )
}

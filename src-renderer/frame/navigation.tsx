import { Hint } from '../kit/hint'
import { modKey } from '../state/keys'
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
      className="flex w-20 shrink-0 flex-col gap-1 border-line border-r bg-panel p-1"
    >
      {views.map(({ id, title, goKey, icon: Icon }, at) => (
        <Hint key={id} text={words.frame.goHint(title, goKey, modKey(navigator), at + 1)}>
          <button
            type="button"
            aria-current={id === current ? 'page' : undefined}
            onClick={() => places.go({ view: id })}
            className={`flex min-h-12 flex-col items-center justify-center gap-0.5 rounded-control border-l-2 text-12 ${
              id === current
                ? 'border-accent bg-hover font-strong text-ink'
                : 'border-transparent text-muted hover:bg-hover hover:text-ink'
            }`}
          >
            <Icon aria-hidden="true" className="size-4 shrink-0" />
            {title}
          </button>
        </Hint>
      ))}
    </nav>
  )
}

import { Button } from '../kit/button'
import { Banner } from '../kit/states'
import { useNow } from '../state/use-now'
import { usePage } from '../state/use-page'
import { useHealth, useStore } from '../state/use-store'
import { words } from '../words/en'
import { bannersOf, type PageBanner } from './banner-list'

/** What the page has to say now, the worst first. */
export function useBanners(): readonly PageBanner[] {
  const { link, feed, places, preferences, clock, dismissed, arrival } = usePage()
  const now = useNow(500)
  const facts = {
    link: useStore(link),
    health: useHealth(),
    summary: useStore(feed.summary),
    fleet: useStore(feed.fleet),
    view: useStore(places.place).view,
    gaps: useStore(feed.gaps),
    zone: useStore(preferences).zone,
    dismissed: useStore(dismissed),
    arrival: useStore(arrival),
    nowWallMs: now.wallMs,
    nowMonoMs: clock.monoMs(),
  }
  return bannersOf(facts)
}

/** The worst banner, and how many more there are behind the bell. */
export function BannerSlot() {
  const { retryNow, dismissed, arrival } = usePage()
  const banners = useBanners()
  const first = banners.find(({ quiet }) => !quiet)
  if (!first) return null
  const actions = {
    retry: { title: words.banners.retryNow, run: retryNow },
    reload: { title: words.banners.reload, run: () => window.location.reload() },
    charts: { title: words.banners.showCharts, run: () => arrival.set(null) },
    dismiss: {
      title: words.banners.dismiss,
      run: () => dismissed.set(new Set([...dismissed.get(), first.id])),
    },
  }
  const action = first.action ? actions[first.action] : null
  return (
    <Banner
      tone={first.tone}
      action={
        <>
          {banners.length > 1 ? (
            <span className="text-12 text-muted">{words.banners.more(banners.length - 1)}</span>
          ) : null}
          {action ? <Button onClick={action.run}>{action.title}</Button> : null}
        </>
      }
    >
      {first.text}
    </Banner>
  )
}

import { writePlace } from '../state/place'
import { paramsOfRange, rangeOf } from '../state/range'
import { useCopy } from '../state/use-copy'
import { usePage } from '../state/use-page'
import { words } from '../words/en'

/** Copies a link to the same moment: a live range becomes the instants that it shows now, always in UTC. */
export function useShare(): () => void {
  const { places, time } = usePage()
  const copy = useCopy({ copied: () => words.frame.linkCopied, copyFailed: words.frame.copyFailed })
  return () => {
    const place = places.place.get()
    const range = rangeOf(place)
    const now = time.wallMs()
    const fixed =
      range.kind === 'fixed'
        ? range
        : ({ kind: 'fixed', fromWallMs: now - range.spanMs, toWallMs: now } as const)
    const { from, to } = paramsOfRange(fixed)
    const { win: _, ...params } = place.params
    const here = writePlace({
      view: place.view,
      params: { ...params, from: from ?? '', to: to ?? '', tz: 'utc' },
    })
    copy(`${window.location.origin}${window.location.pathname}${here}`, words.frame.share)
  }
}

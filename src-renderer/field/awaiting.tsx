import { Empty, Loading } from '../kit/states'
import { usePage } from '../state/use-page'
import { useStore } from '../state/use-store'
import { words } from '../words/en'

/** Something that has not come yet; or, once the connection ended for good, will not come to this page. */
export function Awaiting({ what, rows }: { readonly what: string; readonly rows?: number }) {
  const { phase } = useStore(usePage().link)
  if (phase === 'ended')
    return <Empty title={words.states.notConnected} hint={words.states.notConnectedHint} />
  return <Loading waitingFor={what} {...(rows === undefined ? {} : { rows })} />
}

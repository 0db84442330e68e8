import { ClipboardCopy, Link2, Terminal } from 'lucide-react'
import type { Explanation } from '../../../../src-main/contract/rpc'
import type { DecisionRow } from '../../../../src-main/domain/journal/record'
import { curlOf } from '../../../field/curl'
import { OutcomeMark } from '../../../field/outcome'
import { shortId } from '../../../format/ids'
import { visible } from '../../../format/visible'
import { Button } from '../../../kit/button'
import { Drawer, DrawerSection } from '../../../kit/drawer'
import { Facts } from '../../../kit/panel'
import { Empty, Failure, Loading } from '../../../kit/states'
import { writePlace } from '../../../state/place'
import { CallFailed, useCall } from '../../../state/use-call'
import { useCopy } from '../../../state/use-copy'
import { useNow } from '../../../state/use-now'
import { usePage } from '../../../state/use-page'
import { useHealth, useStore } from '../../../state/use-store'
import { words } from '../../../words/en'
import { Candidates } from './candidates'
import { inputFacts, outcomeFacts } from './facts'
import { explanationMarkdown } from './markdown'
import { Agreement, Path, SessionStrip, Timing } from './sections'
import { verdictOf } from './verdict'

const text = words.why
/** While the request runs the drawer asks again this often, ms. */
const followEveryMs = 1_000

/** "Why this replica": always in the same order, so that eyes learn it (ux.md 7.3). */
export function WhyDrawer({ id, onClose }: { readonly id: string; onClose(): void }) {
  const { feed } = usePage()
  const fed = useStore(feed.decisions).items.find((row) => row.id === id)
  const open = fed?.outcome === null && fed.asked === 'proxy'
  const { data, error, isPlaceholderData, refetch } = useCall(
    'decisions.explain',
    { id },
    { everyMs: open ? followEveryMs : 0 },
  )
  const explained = data && !isPlaceholderData ? data : null
  const known = explained && fed?.outcome ? withEnd(explained, fed) : explained
  const missing = error instanceof CallFailed && error.code !== 'disconnected'
  return (
    <Drawer
      title={text.title(shortId(id))}
      onClose={onClose}
      footer={known ? <Footer explanation={known} /> : null}
    >
      {error ? <Failure what={text.failed} why={error.message} onRetry={() => void refetch()} /> : null}
      {missing && !known ? <Empty title={visible(id)} hint={text.failedHint} /> : null}
      {known ? <Sections explanation={known} /> : error ? null : <Loading waitingFor={text.waitingFor} />}
    </Drawer>
  )
}

/** The feed knows the end of a request before the next answer does; its rows carry no reasons. */
const withEnd = (explained: Explanation, fed: DecisionRow): Explanation => ({
  ...explained,
  row: { ...explained.row, ...fed, reasons: explained.row.reasons },
})

function Sections({ explanation }: { readonly explanation: Explanation }) {
  const { preferences } = usePage()
  const { zone } = useStore(preferences)
  const now = useNow()
  const { row, policy } = explanation
  const params = Object.entries(row.policy.params).map(
    ([name, value]) => [visible(name), visible(String(value))] as const,
  )
  return (
    <>
      <section aria-live="polite" className="border-line border-b px-3 py-3">
        <p className="text-14">{verdictOf(row)}</p>
        <p className="pt-1">
          <OutcomeMark row={row} />
        </p>
      </section>
      <DrawerSection title={text.sections.path}>
        <Path row={row} />
      </DrawerSection>
      <DrawerSection title={text.sections.inputs}>
        <Facts rows={inputFacts(explanation, zone)} />
      </DrawerSection>
      <DrawerSection title={text.sections.candidates} aside={words.field.origin.observed}>
        <Candidates reasons={row.reasons} />
      </DrawerSection>
      <DrawerSection title={text.sections.agreement}>
        <Agreement row={row} />
      </DrawerSection>
      <DrawerSection title={text.sections.timing} aside={text.timing.place}>
        <Timing row={row} nowWallMs={now.wallMs} />
      </DrawerSection>
      <DrawerSection title={text.sections.outcome}>
        {row.outcome ? (
          <Facts rows={outcomeFacts(row)} />
        ) : (
          <p className="text-muted">
            {row.asked === 'http' ? words.field.routerOnlyHelp : text.outcome.running}
          </p>
        )}
      </DrawerSection>
      <DrawerSection title={text.sections.session}>
        <SessionStrip explanation={explanation} zone={zone} />
      </DrawerSection>
      <DrawerSection title={text.sections.policy}>
        <p className="pb-1">{policy ? visible(policy.title) : visible(row.policy.id)}</p>
        {policy ? <p className="pb-1 text-muted">{visible(policy.summary)}</p> : null}
        <Facts rows={params} />
      </DrawerSection>
    </>
  )
}

function Footer({ explanation }: { readonly explanation: Explanation }) {
  const { places } = usePage()
  const health = useHealth()
  const copy = useCopy(words.frame)
  const link = () => {
    const here = writePlace({
      view: 'decisions',
      params: { sel: `decision:${explanation.row.id}`, tz: 'utc' },
    })
    copy(`${window.location.origin}${window.location.pathname}${here}`, text.copyLink)
  }
  const proxy = health?.proxyUrl ?? '$PROXY'
  return (
    <>
      <Button icon={Terminal} onClick={() => copy(curlOf(explanation.row, proxy), text.copyCurl)}>
        {text.copyCurl}
      </Button>
      <Button
        icon={ClipboardCopy}
        onClick={() => copy(explanationMarkdown(explanation), text.explanationCopied)}
      >
        {text.copyExplanation}
      </Button>
      <Button icon={Link2} onClick={link}>
        {text.copyLink}
      </Button>
      {places.place.get().view === 'decisions' ? null : (
        <Button
          onClick={() => places.go({ view: 'decisions', params: { sel: `decision:${explanation.row.id}` } })}
        >
          {words.decisions.title}
        </Button>
      )}
    </>
  )
}

import { useState } from 'react'
import { EventList } from '../../field/event-list'
import type { ClusterEvent } from '../../field/events'
import { suspects } from '../../field/suspicion'
import { visible } from '../../format/visible'
import { Hint } from '../../kit/hint'
import { Mark } from '../../kit/mark'
import { Facts, Panel } from '../../kit/panel'
import { Empty } from '../../kit/states'
import { useCall } from '../../state/use-call'
import { useShownNow } from '../../state/use-now'
import { usePage } from '../../state/use-page'
import { useFeed, useHealth } from '../../state/use-store'
import { words } from '../../words/en'

const hourMs = 3_600_000
const listedMax = 8

/** The last hour's causes, the newest first. */
export function WhatChanged({ events }: { readonly events: readonly ClusterEvent[] }) {
  const now = useShownNow(10_000)
  const recent = events.filter(({ minor, atWallMs }) => !minor && now.wallMs - atWallMs < hourMs)
  const newest = recent.slice(-listedMax).reverse()
  return (
    <Panel title={words.overview.changed} flush>
      {newest.length === 0 ? <Empty title={words.overview.changedNothing} /> : null}
      <EventList events={newest} actors />
    </Panel>
  )
}

/** Replicas with something against them, by plain rules that the tooltip states; each leads to what shows it. */
export function Suspects() {
  const { places } = usePage()
  const fleet = useFeed('fleet', 1_000)
  const summary = useFeed('summary', 1_000)
  const now = useShownNow()
  const show = (id: string) => places.go({ view: 'replicas', params: { sel: `replica:${id}` } })
  const prove = (q: string) => places.go({ view: 'decisions', params: { q, by: null, from: null, to: null } })
  const found = suspects(fleet, summary, now.monoMs).filter(({ suspicions }) => suspicions.length > 0)
  return (
    <Panel
      title={words.overview.suspects}
      flush
      aside={
        <Hint text={words.overview.suspectRules}>
          <button type="button" className="text-12 text-faint underline decoration-dotted">
            {words.replicas.now.suspicion}?
          </button>
        </Hint>
      }
    >
      {found.length === 0 ? <Empty title={words.overview.noSuspects} /> : null}
      <ul>
        {found.slice(0, listedMax).map(({ replica, suspicions }) => (
          <li key={replica.replica.id} className="flex min-h-7 items-center gap-3 px-3 hover:bg-hover">
            <button
              type="button"
              onClick={() => show(replica.replica.id)}
              className="min-h-6 w-10 shrink-0 truncate text-left font-mono font-strong hover:underline"
            >
              {visible(replica.replica.id)}
            </button>
            {suspicions.map(({ tone, text, evidence }) => (
              <button
                key={text}
                type="button"
                title={evidence === null ? undefined : words.overview.showEvidence}
                onClick={() => (evidence === null ? show(replica.replica.id) : prove(evidence))}
                className="min-h-6 min-w-0 hover:underline"
              >
                <Mark tone={tone}>{text}</Mark>
              </button>
            ))}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** The policy that decides now: its rule, its parameters, where the rule comes from. */
export function PolicyCard() {
  const health = useHealth()
  const { data } = useCall('policies.list', {})
  const [open, setOpen] = useState(false)
  if (!health) return null
  const { id, params } = health.policy
  const info = data?.find((policy) => policy.id === id)
  const shown = Object.entries(params).map(
    ([name, value]) => [visible(name), visible(String(value))] as const,
  )
  return (
    <Panel
      title={words.overview.policy}
      aside={
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="min-h-6 text-12 text-accent underline decoration-dotted"
        >
          {words.overview.policySource}
        </button>
      }
    >
      <p className="flex flex-wrap items-baseline gap-x-3">
        <strong className="font-strong">{info ? visible(info.title) : visible(id)}</strong>
        <span className="font-mono text-12 text-faint">{visible(id)}</span>
      </p>
      {info ? <p className="pb-2 text-muted">{visible(info.summary)}</p> : null}
      {shown.length > 0 ? <Facts rows={shown} /> : null}
      {open && info ? <p className="pt-2 text-12 text-faint">{visible(info.source)}</p> : null}
    </Panel>
  )
}

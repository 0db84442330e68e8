import { readFileSync } from 'node:fs'
import { cleanup, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { eventOf, inOneLine } from '../../../src-renderer/field/events'
import { suspects } from '../../../src-renderer/field/suspicion'
import { HintProvider } from '../../../src-renderer/kit/hint'
import { decisionColumns } from '../../../src-renderer/views/decisions/columns'
import { Candidates } from '../../../src-renderer/views/decisions/why/candidates'
import { inputFacts, outcomeFacts } from '../../../src-renderer/views/decisions/why/facts'
import { hopsOf } from '../../../src-renderer/views/decisions/why/hops'
import { verdictOf } from '../../../src-renderer/views/decisions/why/verdict'
import { replicaColumns } from '../../../src-renderer/views/replicas/columns'
import { aFleet, anOutcome, aRecord, aReplica, aRow } from '../builders'

/** Five hundred rows without a browser. */
vi.setConfig({ testTimeout: 30_000 })
afterEach(cleanup)

const naughty: string[] = JSON.parse(readFileSync('test/fixtures/corpora/naughty-strings/blns.json', 'utf8'))
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/u

const rowOf = (text: string, at: number) =>
  aRow(`n${at}`, {
    pick: text,
    session: text,
    requestId: text,
    model: text,
    policy: { id: text, params: {} },
    movedFrom: text,
    fallbacks: [text],
    reasons: [{ replicaId: text, verdict: 'picked', why: 'owner', rank: 0, facts: {} }],
    outcome: anOutcome({ end: 'refused', status: 503, reason: text, served: text, finish: text }),
  })

/** Draws every string and looks at what came of it: text, tooltips and elements. */
function drawn(cells: (text: string, at: number) => ReactNode) {
  const { container } = render(
    <HintProvider>
      {naughty.map((text, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: drawn once
        <div key={at}>{cells(text, at)}</div>
      ))}
    </HintProvider>,
  )
  const titles = [...container.querySelectorAll('[title]')].map((each) => each.getAttribute('title') ?? '')
  return {
    texts: [...container.querySelectorAll('div')].map((each) => each.textContent ?? ''),
    titles,
    made: container.querySelectorAll(
      'script, img, iframe, a, style, form, input, video, audio, link, meta, object',
    ).length,
    container,
  }
}

const places: readonly [string, (text: string, at: number) => ReactNode][] = [
  [
    'the list of decisions',
    (text, at) => decisionColumns('utc').map(({ id, cell }) => <span key={id}>{cell(rowOf(text, at))}</span>),
  ],
  [
    'the drawer of a decision',
    (text, at) => {
      const row = rowOf(text, at)
      const facts = [...inputFacts({ row, session: [], policy: null }, 'utc'), ...outcomeFacts(row)]
      return [
        verdictOf(row),
        ...hopsOf(row).map(({ title }) => title),
        ...facts.map(([, value]) => value),
      ].join(' ')
    },
  ],
  [
    'its candidates',
    (_, at) =>
      at === 0 ? (
        <Candidates reasons={[...new Set(naughty)].flatMap((text) => rowOf(text, 0).reasons)} />
      ) : null,
  ],
  [
    'the list of replicas',
    (text) => {
      const replica = {
        ...aReplica('r1', { lastError: text }, 'down'),
        replica: { id: text, model: text, url: text },
      }
      const [suspect] = suspects(aFleet([replica]), null, 0)
      if (!suspect) throw new Error('no suspect')
      return replicaColumns({ nowWallMs: 0, nowMonoMs: 0, sources: [] }).map(({ id, cell }) => (
        <span key={id}>{cell(suspect)}</span>
      ))
    },
  ],
  [
    'the timeline',
    (text) =>
      [
        aRecord(0, { kind: 'note.added', text, atWallMs: 0, actor: 'cli' }),
        aRecord(0, { kind: 'replica.changed', replicaId: text, from: null, to: 'down', why: text }),
        aRecord(0, {
          kind: 'fleet.scaled',
          from: 1,
          to: 2,
          added: [text],
          removed: [text],
          cause: 'operator',
          epoch: 1,
        }),
        aRecord(0, {
          kind: 'policy.changed',
          from: { id: text, params: {} },
          to: { id: 'x', params: { [text]: text } },
          actor: 'cli',
        }),
        aRecord(0, { kind: 'source.turned', source: text, from: null, to: 'down', why: text }),
      ]
        .map((record) => inOneLine(eventOf(record)))
        .join(' '),
  ],
]

describe('[SR-010] the naughty strings (515) come out as text', () => {
  test.each(places)('in %s', (_, cells) => {
    const { texts, titles, made, container } = drawn(cells)
    expect(made).toBe(0)
    expect([...texts, ...titles].flatMap((text) => unseen.exec(text)?.index ?? [])).toEqual([])
    expect(container.textContent).toContain('<script>')
  })
})

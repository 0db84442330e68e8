import { emptySketch, quantile, record, type Sketch } from '../../base/quantiles'
import { fail, ok, type Result } from '../../base/result'
import type { Millis } from '../../base/units'
import type { DecisionGroups, DecisionPage } from '../../contract/rpc'
import type { CallError } from '../../contract/wire'
import { type Filter, parseFilter } from '../../domain/journal/filter'
import type { ClusterRecord, DecisionRow } from '../../domain/journal/record'
import { factsOf, type RowFacts } from '../../domain/journal/row-facts'
import { isFailure } from '../../domain/routing/outcome'
import type { History } from '../../ports/history'
import type { Timers } from '../../ports/seams/timers'
import type { Journal } from './journal'
import type { RecentRows } from './recent-rows'

/** Looks through the recent past in memory, and through the store for what is older. */
export interface Search {
  last(count: number, filter: string): Promise<Result<DecisionPage, CallError>>
  groups(by: DecisionGroups['by'], filter: string): Promise<Result<DecisionGroups, CallError>>
  explain(
    id: string,
  ): Result<{ readonly row: DecisionRow; readonly session: readonly DecisionRow[] }, CallError>
  timeline(fromWallMs: Millis, toWallMs: Millis): readonly ClusterRecord[]
}

/** What a search looks through. */
export interface SearchOptions {
  readonly rows: RecentRows
  readonly journal: Journal
  readonly past: () => History | null
  readonly timers: Timers
}

/** Most decisions of one search. */
export const searchedMax = 100_000
/** Stored decisions that are read at once; between two pages everything else gets its turn. */
const pageRows = 1_000
/** Groups in an answer; the rest is only counted in the total. */
const groupsMax = 200
/** Turns of a session in an explanation. */
const turnsShown = 20
/** Cluster records in an answer. */
const timelineMax = 5_000

/** A decision that was found: its facts, and the whole of it when it is wanted. */
interface Found {
  readonly facts: RowFacts
  open(): DecisionRow | null
}

/** A search over what is there now. */
export const createSearch = (options: SearchOptions): Search => ({
  async last(count, text) {
    const filter = filterOf(text)
    return filter.ok ? ok(await lastOf(options, count, filter.value)) : filter
  },
  async groups(by, text) {
    const filter = filterOf(text)
    return filter.ok ? ok(await groupsOf(options, by, filter.value)) : filter
  },
  explain(id) {
    const { rows, past } = options
    const stored = past()?.row(id)
    const row = rows.find(id) ?? (stored?.ok ? (stored.value?.open() ?? null) : null)
    if (row !== null) return ok({ row, session: sessionOf(row, rows, past()) })
    return fail({
      code: 'not_found',
      message: `no decision ${id} is kept; it may be older than what is kept, or its record was lost`,
    })
  },
  timeline: (fromWallMs, toWallMs) => timelineOf(options, fromWallMs, toWallMs),
})

async function lastOf(options: SearchOptions, count: number, filter: Filter): Promise<DecisionPage> {
  const { rows } = options
  if (filter.clauses.length === 0 && rows.size >= count) return newest(rows, count)
  const found: DecisionRow[] = []
  let matched = 0
  let searched = 0
  let fromWallMs: Millis | null = null
  const visit = ({ facts, open }: Found) => {
    searched++
    fromWallMs = facts.wallMs
    if (filter.matches(facts)) {
      matched++
      const row = found.length < count ? open() : null
      if (row) found.push(row)
    }
    return found.length < count
  }
  for (const row of rows.newestFirst()) visit({ facts: factsOf(row), open: () => row })
  if (found.length < count) await visitOlder(options, searched, visit)
  return { rows: found, matched, searched, fromWallMs }
}

async function groupsOf(
  options: SearchOptions,
  by: DecisionGroups['by'],
  filter: Filter,
): Promise<DecisionGroups> {
  const groups = createGroups(by)
  let searched = 0
  let fromWallMs: Millis | null = null
  const visit = ({ facts }: Pick<Found, 'facts'>) => {
    searched++
    fromWallMs = facts.wallMs
    if (filter.matches(facts)) groups.add(facts)
    return true
  }
  for (const row of options.rows.newestFirst()) visit({ facts: factsOf(row) })
  await visitOlder(options, searched, visit)
  return { by, groups: groups.result(), searched, fromWallMs }
}

/** Decisions in the store that are older than those in memory, newest first, until the visitor has enough. */
async function visitOlder(
  { rows, past, timers }: SearchOptions,
  searched: number,
  visit: (found: Found) => boolean,
): Promise<void> {
  const { oldest } = rows
  const known = oldest === null ? null : past()?.row(oldest.id)
  let before = known?.ok ? (known.value?.place ?? null) : null
  let seen = searched
  for (let history = past(); history !== null && seen < searchedMax; history = past()) {
    const page = history.page(before, pageRows)
    if (!page.ok || page.value.length === 0) return
    before = page.value.at(-1)?.place ?? null
    for (const stored of page.value) {
      if (rows.find(stored.facts.id) !== null) continue
      seen++
      if (!visit(stored)) return
    }
    await new Promise<void>((resolve) => {
      timers.after(0, resolve)
    })
  }
}

function timelineOf(
  { journal, past }: SearchOptions,
  fromWallMs: Millis,
  toWallMs: Millis,
): readonly ClusterRecord[] {
  const recent = journal.between(fromWallMs, toWallMs)
  const stored = past()?.records(fromWallMs, toWallMs, timelineMax)
  const keys = new Set(recent.map(keyOf))
  const older = (stored?.ok ? stored.value : []).filter((each) => !keys.has(keyOf(each)))
  return [...older, ...recent]
    .sort((a, b) => a.stamp.wallMs - b.stamp.wallMs || a.stamp.seq - b.stamp.seq)
    .slice(-timelineMax)
}

/** The newest rows without a filter: no need to look at the others. */
function newest(rows: RecentRows, count: number): DecisionPage {
  const found: DecisionRow[] = []
  for (const row of rows.newestFirst()) {
    if (found.length === count) break
    found.push(row)
  }
  const { size, oldest } = rows
  return { rows: found, matched: size, searched: size, fromWallMs: oldest?.wallMs ?? null }
}

const keyOf = ({ stamp }: ClusterRecord) => `${stamp.boot} ${stamp.seq}`

function filterOf(text: string): Result<Filter, CallError> {
  const filter = parseFilter(text)
  if (filter.ok) return filter
  const { at, message } = filter.error
  return fail({
    code: 'bad_filter',
    message: `the filter is not understood at character ${at + 1}: ${message}`,
  })
}

/** The last turns of the row's session up to it, oldest first. */
function sessionOf(row: DecisionRow, rows: RecentRows, past: History | null): readonly DecisionRow[] {
  if (row.session === null) return [row]
  const turns = new Map<string, DecisionRow>([[row.id, row]])
  const take = (each: DecisionRow | null) => {
    if (each !== null && each.session === row.session && each.wallMs <= row.wallMs && !turns.has(each.id))
      turns.set(each.id, each)
    return turns.size < turnsShown
  }
  for (const each of rows.newestFirst()) if (!take(each)) break
  const stored = turns.size < turnsShown ? past?.session(row.session, turnsShown * 2) : null
  for (const each of stored?.ok ? stored.value : []) if (!take(each.open())) break
  return [...turns.values()].sort((a, b) => a.wallMs - b.wallMs || (a.turn ?? 0) - (b.turn ?? 0))
}

interface Group {
  count: number
  failed: number
  readonly ttftMs: Sketch
}

function createGroups(by: DecisionGroups['by']) {
  const groups = new Map<string, Group>()
  return {
    add(facts: RowFacts) {
      const key = groupKey(by, facts) ?? 'none'
      const group = groups.get(key) ?? { count: 0, failed: 0, ttftMs: emptySketch() }
      groups.set(key, group)
      group.count++
      if (isFailure(facts.outcome)) group.failed++
      if (facts.ttftMs !== null) record(group.ttftMs, facts.ttftMs)
    },
    result: (): DecisionGroups['groups'] =>
      [...groups]
        .sort(([a, groupA], [b, groupB]) => groupB.count - groupA.count || (a < b ? -1 : 1))
        .slice(0, groupsMax)
        .map(([key, { count, failed, ttftMs }]) => ({
          key,
          count,
          failed,
          ttftMsP50: quantile(ttftMs, 0.5),
          ttftMsP99: quantile(ttftMs, 0.99),
        })),
  }
}

function groupKey(by: DecisionGroups['by'], facts: RowFacts): string | null {
  switch (by) {
    case 'outcome':
      return facts.outcome
    case 'reason':
      return facts.reason
    case 'replica':
      return facts.served ?? facts.pick
    case 'session':
      return facts.session
    default:
      return facts.policy
  }
}

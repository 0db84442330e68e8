import { emptySketch, pack, record } from '../../src-main/base/quantiles'
import type { DecisionEnded, DecisionMade, DecisionRow } from '../../src-main/domain/journal/record'
import type { Outcome } from '../../src-main/domain/routing/outcome'

/** An outcome that went well; a test names only what it cares about. */
export const anOutcome = (own: Partial<Outcome> = {}): Outcome => ({
  end: 'done',
  status: 200,
  reason: 'ok',
  serveReason: null,
  served: 'r1',
  rank: 0,
  attempts: 1,
  ttftMs: 200,
  itlMsP50: 20,
  itlMsMax: 60,
  durationMs: 1_500,
  promptTokens: 400,
  outputTokens: 80,
  cachedTokens: 300,
  finish: 'stop',
  streamed: true,
  bytesIn: 1_600,
  bytesOut: 4_000,
  ...own,
})

/** A pick, as the router reports it. */
export const aDecision = (own: Partial<DecisionMade> = {}): DecisionMade => ({
  kind: 'decided',
  id: 'd1',
  requestId: 'q1',
  wallMs: Date.UTC(2026, 0, 1),
  monoMs: 1_000,
  session: 'a01c00000000000000000000000000 9e'.replace(' ', ''),
  method: 'POST',
  path: '/v1/chat/completions',
  model: 'demo-8b',
  policy: { id: 'consistent-hash', params: { num_virtual_nodes: 100 } },
  mode: 'pick-only',
  fleetEpoch: 1,
  promptTokens: 410,
  truncated: null,
  pick: 'r1',
  fallbacks: ['r2'],
  refusal: null,
  answer: null,
  reasons: [
    { replicaId: 'r1', verdict: 'picked', why: 'owner', rank: 0, facts: { inFlight: 1 } },
    { replicaId: 'r2', verdict: 'fallback', why: 'fallback-rank', rank: 1, facts: { inFlight: 0 } },
  ],
  facts: { keyed: 1 },
  consultUs: 180,
  asked: 'proxy',
  demo: false,
  ...own,
})

/** The end of a request. */
export const anEnd = (
  id: string,
  monoMs: number,
  outcome: Partial<Outcome> = {},
  gapsMs: readonly number[] = [],
): DecisionEnded => ({
  kind: 'ended',
  id,
  wallMs: Date.UTC(2026, 0, 1) + monoMs,
  monoMs,
  outcome: anOutcome(outcome),
  itlGaps: packed(gapsMs),
})

function packed(values: readonly number[]) {
  const sketch = emptySketch()
  for (const value of values) record(sketch, value)
  return pack(sketch)
}

/** A joined row. */
export const aRow = ({
  outcome = {},
  ...own
}: Partial<Omit<DecisionRow, 'outcome'>> & { outcome?: Partial<Outcome> | null } = {}): DecisionRow => {
  const { kind: _, ...decision } = aDecision()
  return {
    ...decision,
    outcome: outcome === null ? null : anOutcome(outcome),
    endedWallMs: outcome === null ? null : decision.wallMs + 1_500,
    movedFrom: null,
    turn: 0,
    ...own,
  }
}

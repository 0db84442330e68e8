import { openOnes } from '../routing/candidates'
import { definePolicy, explainByRank, picked, refused } from '../routing/policy'

/** The turn of the next request. */
export interface RoundRobinMemory {
  counter: number
}

/** Ray draws the start uniformly from this many values, so that several routers do not march in step. */
const starts = 2 ** 31

export default definePolicy<Record<string, never>, RoundRobinMemory>({
  id: 'round-robin',
  title: 'Round robin',
  summary: 'Each request goes to the next replica in turn; sessions are not kept together.',
  source:
    'Ray Serve 2.56, RoundRobinRouter: index = counter mod n, ranks wrap over all n; a change of n shifts the turn',
  signals: [],
  params: {},
  init: (_params, draw) => ({ counter: draw.below(starts) }),
  choose(memory, { candidates }) {
    const open = openOnes(candidates)
    if (open.length === 0) return refused('no_replica')
    const turn = memory.counter % open.length
    memory.counter++
    return picked([...open.slice(turn), ...open.slice(0, turn)], {
      turn,
      of: open.length,
    })
  },
  explain: (decision) =>
    explainByRank(decision, {
      picked: 'turn',
      fallback: 'fallback-rank',
      unranked: 'not-its-turn',
    }),
})

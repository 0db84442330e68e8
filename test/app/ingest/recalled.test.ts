import { describe, expect, test } from 'vitest'
import { epochAfter } from '../../../src-main/app/ingest/recalled'
import type { ClusterBody, ClusterRecord } from '../../../src-main/domain/journal/record'

const at = (boot: string, ...bodies: ClusterBody[]): ClusterRecord[] =>
  bodies.map((body, seq) => ({ stamp: { stream: 'cluster', seq, wallMs: 0, monoMs: 0, boot }, body }))
const seen: ClusterBody = {
  kind: 'replica.seen',
  replica: { id: 'r1', model: 'm', url: 'u' },
  state: 'ready',
}
const changed: ClusterBody = {
  kind: 'replica.changed',
  replicaId: 'r1',
  from: 'ready',
  to: 'down',
  why: null,
}
const gone: ClusterBody = { kind: 'replica.gone', replicaId: 'r1' }
const scaled = (epoch: number): ClusterBody => ({
  kind: 'fleet.scaled',
  from: 1,
  to: 2,
  added: ['r2'],
  removed: [],
  cause: 'operator',
  epoch,
})

describe('the epoch that a stored story has reached', () => {
  test.each([
    { name: 'nothing is stored', records: [], epoch: 0 },
    { name: 'a first look at many is one epoch', records: at('a', seen, seen, seen), epoch: 1 },
    { name: 'a scale event names its epoch', records: at('a', seen, scaled(7)), epoch: 7 },
    {
      name: 'changes and newcomers after it may each have made one',
      records: at('a', seen, scaled(2), seen, changed, changed),
      epoch: 5,
    },
    { name: 'one that went made none besides', records: at('a', seen, gone, scaled(2)), epoch: 2 },
    {
      name: 'each run looks anew',
      records: [...at('a', seen, scaled(2)), ...at('b', seen, seen), ...at('c', seen)],
      epoch: 4,
    },
  ])('$name', ({ records, epoch }) => {
    expect(epochAfter(records)).toBe(epoch)
  })
})

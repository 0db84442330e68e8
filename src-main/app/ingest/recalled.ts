import type { Millis } from '../../base/units'
import type { ClusterRecord } from '../../domain/journal/record'
import type { History } from '../../ports/history'
import type { Clock } from '../../ports/seams/clock'
import { activeForMs, type SessionTurns } from './session-turns'

/** Stored decisions and records that are looked through at the start, which must not take long. */
const decisionsRecalled = 5_000
const recordsRecalled = 2_000

/**
 * An epoch that no run before has passed, so that epochs go on rising over a restart: one for each run's first whole
 * look, those that scale events name, and one for each replica that changed, or came after a scale event, since.
 * @param records oldest first
 */
export function epochAfter(records: readonly ClusterRecord[]): number {
  let epoch = 0
  let boot: string | null = null
  let scaled = false
  for (const { stamp, body } of records) {
    if (stamp.boot !== boot) {
      boot = stamp.boot
      scaled = false
      epoch++
    }
    if (body.kind === 'fleet.scaled') {
      scaled = true
      epoch = Math.max(epoch, body.epoch)
    } else if (body.kind === 'replica.changed' || (body.kind === 'replica.seen' && scaled)) epoch++
  }
  return epoch
}

/** The epoch that the stored story has reached. */
export function recallEpoch(past: History | null, wallMs: Millis): number {
  const records = past?.records(0, wallMs, recordsRecalled)
  return epochAfter(records?.ok ? records.value : [])
}

/** Where the sessions of the last minutes were, so that a restart makes no first turns of their next ones. */
export function recallSessions(sessions: SessionTurns, past: History | null, clock: Clock): void {
  const newest = past?.page(null, decisionsRecalled)
  const sinceWallMs = clock.wallMs() - activeForMs
  const offsetMs = clock.wallMs() - clock.monoMs()
  for (const { facts } of newest?.ok ? [...newest.value].reverse() : []) {
    const { session, turn, served, pick, wallMs } = facts
    if (session !== null && turn !== null && wallMs >= sinceWallMs)
      sessions.recall(session, turn, served ?? pick, wallMs - offsetMs)
  }
}

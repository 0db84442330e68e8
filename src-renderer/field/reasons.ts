import type { ServeReason } from '../../src-main/domain/routing/outcome'
import { visible } from '../format/visible'
import { words } from '../words/en'

/** Ray's word beside our own codes of routing failures (security page 7.7): operators know the failure by it. */
const serveReasonOf: Readonly<Record<string, ServeReason>> = {
  policy_failed: 'router_unreachable',
  policy_timeout: 'router_unreachable',
  policy_bad_answer: 'unparseable_replica_id',
  policy_refused: 'router_non_200',
  unknown_replica: 'unknown_replica_id',
}

/** A reason code as it is written: with the word that clients see in `X-Serve-Reason`, where there is one. */
export function reasonText(reason: string): string {
  const ray = Object.hasOwn(serveReasonOf, reason) ? serveReasonOf[reason] : undefined
  return ray ? words.field.reason(ray, visible(reason)) : visible(reason)
}

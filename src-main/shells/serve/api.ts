import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Control } from '../../app/control/control'
import { createTransportPair } from '../../contract/memory-transport'
import { createCaller } from '../../contract/peer'
import { type Rpc, rpc } from '../../contract/rpc'
import type { Random } from '../../ports/seams/random'
import type { Timers } from '../../ports/seams/timers'
import type { RequestHead } from '../../proxy/head'
import type { PageTable } from '../page'
import { answerJson, refuse, refuseCall } from './answers'
import type { Budget } from './budget'
import { type BodyFault, type BodyLimits, readJson } from './request-body'
import type { Asked } from './routes'
import type { SessionLimits } from './session-limits'
import type { Tokens } from './tokens'

/** What the server's answers are made from. */
export interface ApiParts extends BodyLimits {
  readonly timers: Timers
  readonly random: Random
  readonly page: PageTable
  readonly tokens: Tokens
  readonly limits: SessionLimits
  readonly budget: Budget
  readonly control: Control
  readonly mayOperate: boolean
}

const ticketBody = z.strictObject({ ticket: z.string().max(128) })

/** `POST /api/session`: a ticket for a session's token. */
export async function openSession(parts: ApiParts, asked: Asked): Promise<void> {
  const { response } = asked
  const read = await bodyOf(parts, asked)
  if (!read.ok) return refuseBody(response, read.error)
  const body = ticketBody.safeParse(read.value)
  if (!body.success) return refuseCall(response, 400, 'bad_params', 'A body {"ticket": "…"} is expected.')
  const redeemed = parts.tokens.redeem(body.data.ticket)
  if ('token' in redeemed) return answerJson(response, redeemed)
  await parts.budget.failed()
  response.setHeader('www-authenticate', 'Bearer')
  const words = 'This link is used up or too old; signalbox open prints a new one.'
  refuseCall(response, 401, redeemed.refused, words)
}

/** `POST /api/call/NAME`: one call over HTTP, with the same table and the same checks as a screen's frames. */
export async function callForScript(name: string, parts: ApiParts, asked: Asked): Promise<void> {
  const { response, head } = asked
  const token = bearerIn(head)
  if (token === null) return refuse(response, 'auth_required')
  const actor = parts.tokens.actorOf(token)
  if (actor === null) {
    await parts.budget.failed()
    return refuse(response, 'auth_required')
  }
  if (!parts.limits.takeCall(token)) return refuse(response, 'client_limit')
  if (!Object.hasOwn(rpc, name))
    return refuseCall(
      response,
      404,
      'no_such_call',
      'There is no call of that name; the versions may differ.',
    )
  const read = await bodyOf(parts, asked)
  if (!read.ok) return refuseBody(response, read.error)
  const [near, far] = createTransportPair()
  parts.control.connect(far, { actor, mayOperate: parts.mayOperate })
  const script = createCaller<Rpc>(near)
  const result = await script.call(name as 'status.read', read.value as Record<string, never>)
  script.close()
  if (result.ok) return answerJson(response, result.value)
  refuseCall(response, statusOf[result.error.code] ?? 503, result.error.code, result.error.message)
}

/** Statuses of refusals; what is not here is neither the caller's mistake nor ours, and may be otherwise soon: 503. */
const statusOf: Readonly<Record<string, number>> = {
  bad_params: 400,
  bad_filter: 400,
  no_such_policy: 400,
  unknown_policy: 400,
  read_only: 403,
  role: 403,
  not_found: 404,
  no_such_replica: 404,
  internal: 500,
}

/** The token that a request shows; null when it shows none. */
export function bearerIn({ authorization }: RequestHead): string | null {
  return authorization?.startsWith('Bearer ') ? authorization.slice(7) : null
}

function bodyOf(parts: ApiParts, { request, response, expects }: Asked) {
  if (expects) response.writeContinue()
  return readJson(request, parts.timers, parts)
}

function refuseBody(response: ServerResponse, fault: BodyFault): void {
  if (fault === 'client_left') return
  if (fault !== 'not_json') return refuse(response, fault)
  refuseCall(response, 400, 'bad_params', 'The body is no JSON, or nested too deeply.')
}

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Millis } from '../../base/units'
import type { Clock } from '../../ports/seams/clock'
import type { Random } from '../../ports/seams/random'

/** Whose token it is: a script's, from the ready line, or a browser's. The journal and the audit log say it. */
export type TokenActor = 'cli' | 'browser'

/** Why a ticket was not taken. */
export type TicketRefusal = 'ticket_used' | 'ticket_expired' | 'ticket_unknown'

/** Lifetimes (security page 6.3). */
const ticketMs: Millis = 60_000
const idleMs: Millis = 3_600_000
const lifetimeMs: Millis = 12 * 3_600_000
/** Sessions at once; the one that was idle longest goes when a new one comes. */
const sessionsMax = 64
const ticketsMax = 64

/** Tickets for browsers, tokens for scripts and for browsers that showed a ticket. Everything ends with the process. */
export interface Tokens {
  /** The token of the ready line: valid as long as the process. */
  readonly root: string
  /** A fresh one-time ticket for a URL's fragment. */
  ticket(): string
  redeem(ticket: string): { readonly token: string } | { readonly refused: TicketRefusal }
  /** Who shows this token, or null when it is not good (any more); using it keeps it from idling out. */
  actorOf(token: string): TokenActor | null
  /** Ends every browser session and every link to one; the root token stays. */
  revokeSessions(): void
  /** Calls back when sessions were ended, so that open feeds can be closed. Returns a function that stops it. */
  onRevoked(listener: () => void): () => void
}

/** 256-bit secrets, compared in constant time. */
export function createTokens(clock: Clock, random: Random): Tokens {
  const root = random.hex(32)
  const sessions = new Map<string, { readonly bornMonoMs: Millis; usedMonoMs: Millis }>()
  const tickets = new Map<string, { readonly bornMonoMs: Millis; used: boolean }>()
  const listeners = new Set<() => void>()
  const find = <T>(table: ReadonlyMap<string, T>, secret: string): T | undefined => {
    let found: T | undefined
    for (const [key, value] of table) if (same(key, secret)) found = value
    return found
  }
  const trim = <T>(table: Map<string, T>, max: number): boolean => {
    const over = table.size > max
    while (table.size > max) table.delete(table.keys().next().value as string)
    return over
  }
  const tell = () => {
    for (const listener of [...listeners]) listener()
  }
  return {
    root,
    ticket() {
      const ticket = random.hex(16)
      tickets.set(ticket, { bornMonoMs: clock.monoMs(), used: false })
      trim(tickets, ticketsMax)
      return ticket
    },
    redeem(ticket) {
      const known = find(tickets, ticket)
      if (!known) return { refused: 'ticket_unknown' }
      if (known.used) return { refused: 'ticket_used' }
      if (clock.monoMs() - known.bornMonoMs > ticketMs) return { refused: 'ticket_expired' }
      known.used = true
      const token = random.hex(32)
      sessions.set(token, { bornMonoMs: clock.monoMs(), usedMonoMs: clock.monoMs() })
      if (trim(sessions, sessionsMax)) tell()
      return { token }
    },
    actorOf(token) {
      if (same(token, root)) return 'cli'
      const session = find(sessions, token)
      if (!session) return null
      const now = clock.monoMs()
      if (now - session.bornMonoMs > lifetimeMs || now - session.usedMonoMs > idleMs) return null
      session.usedMonoMs = now
      sessions.delete(token) // the map is in the order of use
      sessions.set(token, session)
      return 'browser'
    },
    revokeSessions() {
      sessions.clear()
      tickets.clear()
      tell()
    },
    onRevoked(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const same = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))

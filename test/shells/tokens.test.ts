import { describe, expect, test } from 'vitest'
import { nodeRandom } from '../../src-main/adapters/node/random'
import { createTokens } from '../../src-main/shells/serve/tokens'
import { createManualClock } from '../helpers/manual-clock'

function someTokens() {
  const clock = createManualClock()
  return { clock, tokens: createTokens(clock, nodeRandom) }
}
const redeemed = (tokens: ReturnType<typeof createTokens>) => {
  const result = tokens.redeem(tokens.ticket())
  return 'token' in result ? result.token : expect.fail(result.refused)
}

describe('SR-027 a ticket', () => {
  test('is good once', () => {
    const { tokens } = someTokens()
    const ticket = tokens.ticket()
    expect(tokens.redeem(ticket)).toHaveProperty('token')
    expect(tokens.redeem(ticket)).toEqual({ refused: 'ticket_used' })
  })
  test('is good for a minute', () => {
    const { clock, tokens } = someTokens()
    const ticket = tokens.ticket()
    clock.advance(61_000)
    expect(tokens.redeem(ticket)).toEqual({ refused: 'ticket_expired' })
  })
  test('that was never given is unknown', () => {
    expect(someTokens().tokens.redeem('0'.repeat(32))).toEqual({ refused: 'ticket_unknown' })
  })
})

describe('SR-026 a token', () => {
  test('is 256 bits and its own for each ticket', () => {
    const { tokens } = someTokens()
    const two = [redeemed(tokens), redeemed(tokens)]
    expect(two[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(two[0]).not.toBe(two[1])
    expect(two.map((token) => tokens.actorOf(token))).toEqual(['browser', 'browser'])
  })
  test.each(['', 'x', '0'.repeat(64)])('%j is not one', (token) => {
    expect(someTokens().tokens.actorOf(token)).toBeNull()
  })
  test('idles out after an hour, and ends after twelve in any case', () => {
    const { clock, tokens } = someTokens()
    const idle = redeemed(tokens)
    const busy = redeemed(tokens)
    for (let minutes = 0; minutes < 11 * 60 + 55; minutes += 5) {
      clock.advance(300_000)
      expect(tokens.actorOf(busy)).toBe('browser')
    }
    clock.advance(600_000)
    expect([idle, busy, tokens.root].map((token) => tokens.actorOf(token))).toEqual([null, null, 'cli'])
  })
})

test('F86 revoking ends every browser session and tells the open feeds; the token of the ready line stays', () => {
  const { tokens } = someTokens()
  const token = redeemed(tokens)
  let told = 0
  const stop = tokens.onRevoked(() => {
    told++
  })
  tokens.revokeSessions()
  stop()
  tokens.revokeSessions()
  expect([told, tokens.actorOf(token), tokens.actorOf(tokens.root)]).toEqual([1, null, 'cli'])
})

test('F86 revoking also ends the links that were not used yet', () => {
  const { tokens } = someTokens()
  const ticket = tokens.ticket()
  tokens.revokeSessions()
  expect(tokens.redeem(ticket)).toEqual({ refused: 'ticket_unknown' })
  expect(tokens.redeem(tokens.ticket())).toHaveProperty('token')
})

test('the sixty-fifth session ends the one that was idle longest, and its open feed', () => {
  const { clock, tokens } = someTokens()
  const first = Array.from({ length: 64 }, () => redeemed(tokens))
  clock.advance(1_000)
  const [busy, idle] = first as [string, string]
  tokens.actorOf(busy)
  let told = 0
  tokens.onRevoked(() => {
    told++
  })
  redeemed(tokens)
  expect([told, tokens.actorOf(busy), tokens.actorOf(idle)]).toEqual([1, 'browser', null])
})

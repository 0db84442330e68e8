import { describe, expect, test } from 'vitest'
import { startHeartbeat } from '../../src-main/shells/electron/heartbeat'
import { isTrusted } from '../../src-main/shells/electron/trusted-sender'
import {
  createWindowHealth,
  returnTo,
  type WindowTrouble,
} from '../../src-main/shells/electron/window-health'
import { createManualClock } from '../helpers/manual-clock'

describe('what is done about a window in trouble', () => {
  const rows: [string, [WindowTrouble, number][], string][] = [
    ['F73 a crash brings it back', [['renderer-gone', 0]], 'reload'],
    [
      'F73 three crashes within five minutes bring it back without charts',
      [
        ['renderer-gone', 0],
        ['renderer-gone', 100_000],
        ['renderer-gone', 299_000],
      ],
      'reload-safe',
    ],
    [
      'F73 three crashes over a longer time do not',
      [
        ['renderer-gone', 0],
        ['renderer-gone', 100_000],
        ['renderer-gone', 301_000],
      ],
      'reload',
    ],
    ['F74 a hang is offered a reload', [['renderer-hangs', 0]], 'offer-reload'],
    [
      'F74 a hang that is over withdraws the offer',
      [
        ['renderer-hangs', 0],
        ['renderer-responds', 900],
      ],
      'withdraw-offer',
    ],
    ['F75 a dead GPU process is left to Chromium', [['gpu-gone', 0]], 'none'],
    [
      'F75 a dead GPU process is no crash of the page',
      [
        ['gpu-gone', 0],
        ['gpu-gone', 1],
        ['renderer-gone', 2],
      ],
      'reload',
    ],
  ]
  test.each(rows)('%s', (_name, troubles, remedy) => {
    const health = createWindowHealth()
    expect(troubles.map(([trouble, at]) => health.on(trouble, at)).at(-1)).toBe(remedy)
  })
  test.each([
    ['app://signalbox/#/decisions?sel=decision:1', 'app://signalbox/?restarted=1#/decisions?sel=decision:1'],
    ['app://signalbox/?restarted=1#/replicas', 'app://signalbox/?restarted=1#/replicas'],
    ['app://signalbox/', 'app://signalbox/?restarted=1'],
    ['https://evil.test/#/decisions', 'app://signalbox/?restarted=1'],
    ['app://signalbox.evil/#x', 'app://signalbox/?restarted=1'],
    ['', 'app://signalbox/?restarted=1'],
  ])('from %j it comes back at %j', (from, to) => {
    expect(returnTo(from, 'restarted')).toBe(to)
  })
})

describe('F74 the heartbeat of a page', () => {
  function aHeartbeat() {
    const clock = createManualClock()
    const said: string[] = []
    let asked = 0
    const heartbeat = startHeartbeat({
      clock,
      timers: clock,
      ask: () => void asked++,
      hangs: () => void said.push('hangs'),
      responds: () => void said.push('responds'),
    })
    return { clock, said, heartbeat, asked: () => asked }
  }
  /** Lets so many seconds pass; the page answers when it `lives`. */
  const seconds = ({ clock, heartbeat }: ReturnType<typeof aHeartbeat>, count: number, lives: boolean) => {
    for (let second = 0; second < count; second++) {
      clock.advance(1_000)
      if (lives) heartbeat.alive()
    }
  }
  test('asks once a second, and says nothing of a page that answers', () => {
    const each = aHeartbeat()
    seconds(each, 60, true)
    expect([each.asked(), each.said]).toEqual([60, []])
  })
  test('tells after five seconds without an answer, once, and tells when it is back', () => {
    const each = aHeartbeat()
    seconds(each, 4, false)
    expect(each.said).toEqual([])
    seconds(each, 10, false)
    expect(each.said).toEqual(['hangs'])
    seconds(each, 2, true)
    expect(each.said).toEqual(['hangs', 'responds'])
    seconds(each, 5, false)
    expect(each.said).toEqual(['hangs', 'responds', 'hangs'])
  })
  test('takes a machine that slept for no hang', () => {
    const each = aHeartbeat()
    seconds(each, 3, true)
    each.clock.sleep(3_600_000)
    seconds(each, 4, false)
    expect(each.said).toEqual([])
  })
  test('asks no more when it is stopped', () => {
    const each = aHeartbeat()
    each.heartbeat.stop()
    seconds(each, 20, false)
    expect([each.asked(), each.said]).toEqual([0, []])
  })
})

describe('SR-004 whose messages count', () => {
  const ours = { url: 'app://signalbox/', isMainFrame: true, destroyed: false, ours: true }
  test.each([
    ['our page', ours, true],
    ['our page at a link', { ...ours, url: 'app://signalbox/index.html#/decisions' }, true],
    ['no frame', null, false],
    ['a frame inside the page', { ...ours, isMainFrame: false }, false],
    ['a window that is gone', { ...ours, destroyed: true }, false],
    ['a window that is not ours', { ...ours, ours: false }, false],
    ['another host', { ...ours, url: 'app://evil/' }, false],
    ['a host that begins like ours', { ...ours, url: 'app://signalbox.evil/' }, false],
    ['the web', { ...ours, url: 'https://app.signalbox/' }, false],
  ])('%s: %#', (_name, sender, trusted) => {
    expect(isTrusted(sender)).toBe(trusted)
  })
})

import { describe, expect, test } from 'vitest'
import { isTrusted } from '../../src-main/shells/electron/trusted-sender'
import {
  createWindowHealth,
  returnTo,
  type WindowTrouble,
} from '../../src-main/shells/electron/window-health'

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

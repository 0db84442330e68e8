import { describe, expect, test } from 'vitest'
import { createHub } from '../../src-main/app/control/hub'
import type { FeedFrame, FeedStream } from '../../src-main/contract/feed'
import type { SecondBucket } from '../../src-main/domain/journal/views'
import { createManualClock } from '../helpers/manual-clock'

const second = (wallMs: number) => ({ wallMs }) as unknown as SecondBucket

function aHub() {
  const clock = createManualClock()
  const hub = createHub(clock, clock, 'epoch-1')
  return { clock, hub }
}

/** A screen that notes what it gets; `bufferedBytes` plays a slow pipe. */
function aScreen(hub: ReturnType<typeof createHub>) {
  const frames: FeedFrame[] = []
  const outlet = {
    bufferedBytes: 0,
    closed: null as string | null,
    send(frame: FeedFrame) {
      frames.push(frame)
      return true
    },
    close(why: string) {
      outlet.closed = why
    },
  }
  const subscription = hub.subscribe(outlet)
  const of = (stream: FeedStream) => frames.filter((frame) => 'stream' in frame && frame.stream === stream)
  return { frames, outlet, subscription, of }
}

describe('a fresh screen', () => {
  test('is greeted with the epoch, both clocks and a snapshot of every stream', () => {
    const { hub, clock } = aHub()
    hub.items('seconds', [second(1), second(2)])
    const screen = aScreen(hub)
    screen.subscription.open(null)
    expect(screen.frames[0]).toMatchObject({
      t: 'hello',
      epoch: 'epoch-1',
      clock: { wallMs: clock.wallMs(), monoMs: 0 },
    })
    expect(screen.of('seconds')).toEqual([
      { t: 'snapshot', stream: 'seconds', seq: 1, items: [second(1), second(2)] },
    ])
    expect(screen.frames.filter(({ t }) => t === 'snapshot')).toHaveLength(6)
  })

  test('then gets every message with the next sequence number', () => {
    const { hub } = aHub()
    const screen = aScreen(hub)
    screen.subscription.open(null)
    hub.items('seconds', [second(1)])
    hub.items('seconds', [second(2)])
    expect(screen.of('seconds').slice(1)).toMatchObject([
      { t: 'items', seq: 1 },
      { t: 'items', seq: 2 },
    ])
  })

  test('a row that comes again replaces the older one in snapshots', () => {
    const { hub } = aHub()
    const row = (id: string, outcome: string | null) => ({ id, outcome }) as never
    hub.items('decisions', [row('a', null), row('b', null)])
    hub.items('decisions', [row('a', 'done')])
    const screen = aScreen(hub)
    screen.subscription.open(null)
    expect(screen.of('decisions')).toMatchObject([
      {
        items: [
          { id: 'a', outcome: 'done' },
          { id: 'b', outcome: null },
        ],
      },
    ])
  })
})

describe('F83 the feed drops and resumes inside the ring', () => {
  test('only what was missed is sent, in order, nothing twice', () => {
    const { hub } = aHub()
    const first = aScreen(hub)
    first.subscription.open(null)
    hub.items('seconds', [second(1)])
    first.subscription.end()
    hub.items('seconds', [second(2)])
    hub.items('seconds', [second(3)])
    const back = aScreen(hub)
    back.subscription.open({ epoch: 'epoch-1', seqs: { seconds: 1 } })
    expect(back.of('seconds')).toMatchObject([
      { t: 'items', seq: 2, items: [second(2)] },
      { t: 'items', seq: 3, items: [second(3)] },
    ])
  })

  test('beyond what is kept a snapshot comes instead', () => {
    const { hub, clock } = aHub()
    hub.items('seconds', [second(1)])
    hub.items('seconds', [second(2)])
    clock.advance(61_000)
    const back = aScreen(hub)
    back.subscription.open({ epoch: 'epoch-1', seqs: { seconds: 1 } })
    expect(back.of('seconds')).toMatchObject([{ t: 'snapshot', seq: 2 }])
  })

  test('a sequence number from the future is not believed', () => {
    const { hub } = aHub()
    hub.items('seconds', [second(1)])
    const back = aScreen(hub)
    back.subscription.open({ epoch: 'epoch-1', seqs: { seconds: 99 } })
    expect(back.of('seconds')).toMatchObject([{ t: 'snapshot', seq: 1 }])
  })
})

test('of a value only the newest counts: a returning screen is sent it once, and nothing when it has it', () => {
  const { hub } = aHub()
  for (const readOnly of [true, false, true]) hub.value('health', { readOnly } as never)
  const behind = aScreen(hub)
  behind.subscription.open({ epoch: 'epoch-1', seqs: { health: 1 } })
  expect(behind.of('health')).toEqual([
    { t: 'snapshot', stream: 'health', seq: 3, value: { readOnly: true } },
  ])
  const current = aScreen(hub)
  current.subscription.open({ epoch: 'epoch-1', seqs: { health: 3 } })
  expect(current.of('health')).toEqual([])
})

test('F84 the server restarted: another epoch gets snapshots, whatever number the screen had', () => {
  const { hub } = aHub()
  hub.items('seconds', [second(1)])
  const back = aScreen(hub)
  back.subscription.open({ epoch: 'another', seqs: { seconds: 1 } })
  expect(back.of('seconds')).toMatchObject([{ t: 'snapshot', seq: 1 }])
})

describe('F85 a slow screen', () => {
  test('is told of the gap and gets a snapshot when its pipe is free again; the server keeps nothing for it', () => {
    const { hub, clock } = aHub()
    const screen = aScreen(hub)
    screen.subscription.open(null)
    const before = screen.frames.length
    screen.outlet.bufferedBytes = 5 * 1024 * 1024
    for (let at = 0; at < 500; at++) hub.items('seconds', [second(at)])
    expect(screen.frames.length).toBe(before)
    screen.outlet.bufferedBytes = 0
    clock.advance(2_000)
    expect(screen.of('seconds').slice(-2)).toMatchObject([
      { t: 'gap', why: 'slow' },
      { t: 'snapshot', seq: 500 },
    ])
  })

  test('that draws nothing for 2,000 messages is thinned even when its pipe cannot tell', () => {
    const { hub } = aHub()
    const screen = aScreen(hub)
    screen.subscription.open(null)
    for (let at = 0; at < 2_500; at++) hub.items('seconds', [second(at)])
    expect(screen.of('seconds').length).toBeLessThan(2_010)
    screen.subscription.seen({ seconds: 2_500 })
    expect(screen.of('seconds').at(-1)).toMatchObject({ t: 'snapshot', seq: 2_500 })
  })

  test('that stays slow is disconnected', () => {
    const { hub, clock } = aHub()
    const screen = aScreen(hub)
    screen.subscription.open(null)
    screen.outlet.bufferedBytes = 5 * 1024 * 1024
    hub.items('seconds', [second(1)])
    clock.advance(34_000)
    expect(screen.outlet.closed).toBe('slow')
    expect(hub.subscriptions).toBe(0)
  })
})

test('F75 a restarted source is a gap on its streams, also for a screen that comes back later', () => {
  const { hub, clock } = aHub()
  const screen = aScreen(hub)
  screen.subscription.open(null)
  hub.items('seconds', [second(1)])
  clock.advance(500)
  hub.gap(['seconds'], clock.wallMs() - 400)
  expect(screen.of('seconds').slice(-2)).toMatchObject([
    { t: 'gap', why: 'source-restarted', fromWallMs: clock.wallMs() - 400, toWallMs: clock.wallMs() },
    { t: 'snapshot', seq: 1 },
  ])
  const later = aScreen(hub)
  later.subscription.open({ epoch: 'epoch-1', seqs: { seconds: 0 } })
  expect(later.of('seconds')).toMatchObject([{ t: 'snapshot' }])
})

test('a heartbeat carries the clocks and every sequence number, every two seconds', () => {
  const { hub, clock } = aHub()
  const screen = aScreen(hub)
  screen.subscription.open(null)
  hub.items('seconds', [second(1)])
  clock.advance(4_000)
  const beats = screen.frames.filter(({ t }) => t === 'beat')
  expect(beats).toHaveLength(2)
  expect(beats[1]).toMatchObject({ clock: { monoMs: 4_000 }, seqs: { seconds: 1, health: 0 } })
  hub.stop()
  expect(clock.pending).toBe(0)
})

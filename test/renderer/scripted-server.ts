import { fail, ok, type Result } from '../../src-main/base/result'
import type { FeedFrame, FeedStream, Resume } from '../../src-main/contract/feed'
import { logNames, valueNames } from '../../src-main/contract/feed'
import { createTransportPair } from '../../src-main/contract/memory-transport'
import { createPeer, type Handlers, type Peer } from '../../src-main/contract/peer'
import { type Rpc, rpc } from '../../src-main/contract/rpc'
import type { Transport } from '../../src-main/contract/transport'
import type { CallError } from '../../src-main/contract/wire'
import type { Dial, DialError, EndCode } from '../../src-renderer/state/connection'
import type { ManualClock } from '../helpers/manual-clock'

type Answers = { readonly [Name in keyof Rpc]?: (params: never) => unknown }
type FeedPeer = Peer<Record<never, never>, { feed: FeedFrame }>

/** A server as its script says: real frames over a pipe in memory, sent when the test says so. */
export interface ScriptedServer {
  readonly dial: Dial
  /** What the screens said when they opened their feeds, in order. */
  readonly opened: (Resume | null)[]
  readonly resyncs: FeedStream[]
  readonly seen: Record<string, number>[]
  /** Names and parameters of all other calls. */
  readonly asked: { readonly name: string; readonly params: unknown }[]
  epoch: string
  /** Refuses the next dials. */
  refuse: DialError | null
  send(frame: FeedFrame): Promise<void>
  hello(): Promise<void>
  /** Sends the next message of a stream. */
  items(stream: 'cluster' | 'decisions' | 'seconds', items: readonly unknown[], seq?: number): Promise<void>
  value(stream: 'fleet' | 'summary' | 'health', value: unknown, seq?: number): Promise<void>
  snapshot(stream: FeedStream, content: unknown, seq?: number): Promise<void>
  beat(): Promise<void>
  /** Ends the line as the server would; `end` makes it final. */
  hangUp(why: string, end?: EndCode): Promise<void>
  seqs: Record<FeedStream, number>
}

const zero = () =>
  Object.fromEntries([...logNames, ...valueNames].map((name) => [name, 0])) as Record<FeedStream, number>

/** Lets everything that is under way in this turn arrive. */
export const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

export function createScriptedServer(clock: ManualClock, answers: Answers = {}): ScriptedServer {
  let peer: FeedPeer | null = null
  let far: Transport | null = null
  let endCode: EndCode | null = null
  const answer =
    (name: string) =>
    async (params: unknown): Promise<Result<never, CallError>> => {
      server.asked.push({ name, params })
      const script = (answers as Record<string, ((params: unknown) => unknown) | undefined>)[name]
      if (!script) return fail({ code: 'not_scripted', message: `${name} is not in the script` })
      const value = await script(params)
      return value instanceof Error ? fail({ code: 'refused', message: value.message }) : ok(value as never)
    }
  const handlers = {
    ...Object.fromEntries(Object.keys(rpc).map((name) => [name, answer(name)])),
    'feed.open': async ({ resume }: { resume: Resume | null }) => {
      server.opened.push(resume)
      return ok({ epoch: server.epoch })
    },
    'feed.seen': async ({ seqs }: { seqs: Record<string, number> }) => {
      server.seen.push(seqs)
      return ok(null)
    },
    'feed.resync': async ({ stream }: { stream: FeedStream }) => {
      server.resyncs.push(stream)
      return ok(null)
    },
  } as unknown as Handlers<Rpc>

  const times = () => ({ wallMs: clock.wallMs(), monoMs: clock.monoMs() })
  const server: ScriptedServer = {
    opened: [],
    resyncs: [],
    seen: [],
    asked: [],
    epoch: 'e1',
    refuse: null,
    seqs: zero(),
    async dial() {
      if (server.refuse) return fail(server.refuse)
      const [ours, theirs] = createTransportPair()
      endCode = null
      far = ours
      peer = createPeer(ours, { serves: rpc, handlers }) as unknown as FeedPeer
      return ok({ transport: theirs, ended: () => endCode })
    },
    async send(frame) {
      peer?.note('feed', frame)
      await settled()
    },
    hello: () => server.send({ t: 'hello', protocol: 1, epoch: server.epoch, clock: times() }),
    items(stream, items, seq = server.seqs[stream] + 1) {
      server.seqs[stream] = seq
      return server.send({ t: 'items', stream, seq, items })
    },
    value(stream, value, seq = server.seqs[stream] + 1) {
      server.seqs[stream] = seq
      return server.send({ t: 'value', stream, seq, value })
    },
    snapshot(stream, content, seq = server.seqs[stream]) {
      server.seqs[stream] = seq
      const isLog = (logNames as readonly string[]).includes(stream)
      const frame = { t: 'snapshot', stream, seq, ...(isLog ? { items: content } : { value: content }) }
      return server.send(frame as FeedFrame)
    },
    beat: () => server.send({ t: 'beat', clock: times(), seqs: { ...server.seqs } }),
    async hangUp(why, end) {
      endCode = end ?? null
      far?.close(why)
      await settled()
    },
  }
  return server
}

import type { Transport } from './transport'

/** A pair of transports in one process; frames are cloned and arrive later, as they do on a real pipe. */
export function createTransportPair(): readonly [Transport, Transport] {
  const ends = [openEnd(), openEnd()] as const
  ends[0].other = ends[1]
  ends[1].other = ends[0]
  return [ends[0].transport, ends[1].transport]
}

interface PairEnd {
  other: PairEnd | null
  readonly transport: Transport
  deliver(frame: unknown): void
  closed(why: string): void
}

function openEnd(): PairEnd {
  const frameListeners: ((frame: unknown) => void)[] = []
  const closeListeners: ((why: string) => void)[] = []
  let open = true
  const end: PairEnd = {
    other: null,
    deliver(frame) {
      if (open) for (const listener of frameListeners) listener(frame)
    },
    closed(why) {
      if (!open) return
      open = false
      for (const listener of closeListeners) listener(why)
    },
    transport: {
      send(frame) {
        const { other } = end
        if (!open || !other) return false
        const copy = structuredClone(frame)
        void Promise.resolve().then(() => other.deliver(copy))
        return true
      },
      onFrame: (listener) => frameListeners.push(listener),
      onClose: (listener) => closeListeners.push(listener),
      close(why = 'closed by this side') {
        const { other } = end
        end.closed(why)
        void Promise.resolve().then(() => other?.closed(why))
      },
      bufferedBytes: 0,
    },
  }
  return end
}

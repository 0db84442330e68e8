import type { Millis } from '../../base/units'
import type { Clock } from '../../ports/seams/clock'
import type { Stoppable, Timers } from '../../ports/seams/timers'
import type { Micros } from '../../sim/cost-model'
import type { Preset } from '../../sim/presets'
import { createReplicaModel, type EngineStats } from '../../sim/replica-model'
import type { EngineRequest, FinishReason, Sequence } from '../../sim/sequence'

/** A request under way in an engine. */
export interface Job {
  readonly sequence: Sequence
  /** Wall instants, monotonic ms. */
  readonly receivedMs: Millis
  lastTokenMs: Millis | null
  /** Output tokens that have come out. */
  produced: number
  finished: FinishReason | null
}

/** What an engine tells whoever keeps its books. */
export interface EngineObserver {
  /** @param gapMs wall time since the request came, for the first token, or since the token before */
  token(job: Job, gapMs: Millis): void
  finished(job: Job, reason: FinishReason, nowMs: Millis): void
  step(tokens: number): void
}

/** A replica model on the wall clock: a virtual second passes in 1/speed real ones. */
export interface Engine {
  /** `onProgress` fires when tokens have come out or the job has finished; once for all that fell due together. */
  submit(request: EngineRequest, onProgress: () => void): Job
  /** Ends a job at once and frees its blocks; nothing when it has finished. */
  abort(job: Job): void
  readonly stats: EngineStats
  /** Aborts everything and stops the clock. */
  close(): void
}

/** Most steps that one wake-up works off, so that a late one does not hold up the process. */
const stepsPerWakeMax = 2_000

interface EngineParts {
  readonly preset: Preset
  readonly speed: number
  readonly clock: Clock
  readonly timers: Timers
  readonly observer: EngineObserver
}

/**
 * An idle engine. Timers are no finer than a millisecond, so at speed 10 several steps may fall due at once: they are
 * worked off in order, each at its own virtual instant.
 */
export function createEngine({ preset, speed, clock, timers, observer }: EngineParts): Engine {
  const model = createReplicaModel(preset)
  const startMs = clock.monoMs()
  const entries = new Map<Sequence, Entry>()
  let timer: Stoppable | null = null
  let closed = false

  const virtualUs = (monoMs: Millis): Micros => (monoMs - startMs) * 1_000 * speed
  const wake = () => {
    timer = null
    const nowMs = clock.monoMs()
    const touched = new Set<Entry>()
    for (let steps = 0; steps < stepsPerWakeMax; steps++) {
      const dueUs = model.nextStepUs()
      if (dueUs === null || dueUs > virtualUs(nowMs)) break
      const { tokens, events } = model.step()
      if (tokens > 0) observer.step(tokens)
      for (const event of events) {
        const entry = entries.get(event.sequence)
        if (!entry) continue
        touched.add(entry)
        if (event.kind === 'token') countToken(entry.job, nowMs, observer)
        else finish(entry.job, event.reason, nowMs)
      }
    }
    for (const { onProgress } of touched) onProgress()
    arm()
  }
  const arm = () => {
    const dueUs = model.nextStepUs()
    if (timer !== null || dueUs === null || closed) return
    const waitMs = (dueUs - virtualUs(clock.monoMs())) / 1_000 / speed
    timer = timers.after(Math.min(Math.max(0, waitMs), timerMaxMs), wake)
  }
  const finish = (job: Job, reason: FinishReason, nowMs: Millis) => {
    entries.delete(job.sequence)
    job.finished = reason
    observer.finished(job, reason, nowMs)
  }
  const abort = (job: Job) => {
    if (model.abort(job.sequence)) finish(job, 'abort', clock.monoMs())
  }
  return {
    submit(request, onProgress) {
      const receivedMs = clock.monoMs()
      const job = newJob(model.submit(request, virtualUs(receivedMs)), receivedMs)
      entries.set(job.sequence, { job, onProgress })
      arm()
      return job
    },
    abort,
    get stats() {
      return model.stats
    },
    close() {
      closed = true
      timer?.stop()
      for (const { job } of [...entries.values()]) abort(job)
    },
  }
}

interface Entry {
  readonly job: Job
  readonly onProgress: () => void
}

const newJob = (sequence: Sequence, receivedMs: Millis): Job => ({
  sequence,
  receivedMs,
  lastTokenMs: null,
  produced: 0,
  finished: null,
})

function countToken(job: Job, nowMs: Millis, observer: EngineObserver): void {
  observer.token(job, nowMs - (job.lastTokenMs ?? job.receivedMs))
  job.lastTokenMs = nowMs
  job.produced++
}

/** Longest timer, ms; far beyond any step, but within what timers can hold when the speed is tiny. */
const timerMaxMs: Millis = 86_400_000

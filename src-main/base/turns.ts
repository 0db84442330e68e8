/** Runs jobs one after the other, in the order they were asked for; a job that fails does not stop the next. */
export type Turns = <T>(job: () => Promise<T>) => Promise<T>

/** Turns with nobody waiting. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (job) => {
    const turn = last.then(job)
    last = turn.catch(() => undefined) // whoever asked hears of it; the next in line does not care
    return turn
  }
}

import { fail, ok, type Result } from '../../base/result'
import type { Json } from '../../base/stable-json'

/** Pure steps of one document: the step under `n` makes a value of schema n + 1 from one of schema n. */
export type Migrations = Readonly<Record<number, (old: Json) => Json>>

/** Brings a value up to date, step by step. Fails in words when a step is missing or cannot read what it was given. */
export function migrate(steps: Migrations, from: number, to: number, value: Json): Result<Json, string> {
  let current = value
  for (let schema = from; schema < to; schema++) {
    const step = steps[schema]
    if (step === undefined) return fail(`there is no way from schema ${schema} to ${schema + 1}`)
    try {
      current = step(current)
    } catch {
      return fail(`a value of schema ${schema} is not what that schema says`)
    }
  }
  return ok(current)
}

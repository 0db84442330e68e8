/** Things of one kind by id, in the order of their ids. */
export interface Registry<T extends { readonly id: string }> {
  /** Every entry, sorted by id, so that order never depends on the disk. */
  all(): readonly T[]
  /** The ids, sorted. */
  ids(): readonly string[]
  /** The entry, or null when there is none of that id. */
  find(id: string): T | null
  /** The entry; throws when there is none, naming the ids that exist. */
  get(id: string): T
}

/**
 * Makes a registry. Two entries of one id stop the program at start-up, not at midnight.
 * @param kind what the entries are, for messages: 'policy', 'view'
 */
export function createRegistry<T extends { readonly id: string }>(
  kind: string,
  entries: readonly T[],
): Registry<T> {
  const sorted = [...entries].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const byId = new Map<string, T>()
  for (const entry of sorted) {
    if (byId.has(entry.id)) throw new Error(`two entries named ${entry.id} in the ${kind} registry`)
    byId.set(entry.id, entry)
  }
  const ids = sorted.map((entry) => entry.id)
  return {
    all: () => sorted,
    ids: () => ids,
    find: (id) => byId.get(id) ?? null,
    get(id) {
      const entry = byId.get(id)
      if (!entry) throw new Error(`no ${kind} named ${id}; there are: ${ids.join(', ')}`)
      return entry
    },
  }
}

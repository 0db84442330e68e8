import type { DecisionRow } from '../../../src-main/domain/journal/record'
import { clauseOf, outcomeClause, withClause } from '../../field/clause'
import { curlOf } from '../../field/curl'
import { visible } from '../../format/visible'
import type { MenuItem } from '../../kit/menu'
import { useCopy } from '../../state/use-copy'
import { usePage } from '../../state/use-page'
import { useHealth } from '../../state/use-store'
import { words } from '../../words/en'

/** What can be done with a row. */
export interface RowActions {
  why(row: DecisionRow): void
  copyId(row: DecisionRow): void
  copyJson(row: DecisionRow): void
  copyCurl(row: DecisionRow): void
  filterTo(clause: string): void
  menu(row: DecisionRow): readonly MenuItem[]
}

const text = words.decisions.menu

/** The actions of rows; copies carry everything, raw. */
export function useRowActions(): RowActions {
  const { places } = usePage()
  const health = useHealth()
  const copy = useCopy(words.frame)
  const filterTo = (clause: string) =>
    places.go({ params: { q: withClause(places.place.get().params.q ?? '', clause), by: null } })
  const actions = {
    why: (row: DecisionRow) => places.go({ params: { sel: `decision:${row.id}` } }),
    copyId: (row: DecisionRow) => copy(row.id, text.copyId),
    copyJson: (row: DecisionRow) => copy(JSON.stringify(row, null, 2), text.copyJson),
    copyCurl: (row: DecisionRow) => copy(curlOf(row, health?.proxyUrl ?? '$PROXY'), text.copyCurl),
    filterTo,
  }
  return {
    ...actions,
    menu(row) {
      const replica = row.outcome?.served ?? row.pick
      const clauses = [
        outcomeClause(row),
        ...(replica === null ? [] : [clauseOf('replica', replica)]),
        ...(row.session === null ? [] : [clauseOf('session', row.session)]),
      ]
      return [
        { id: 'why', title: text.why, keys: 'Enter', run: () => actions.why(row) },
        ...(row.session === null
          ? []
          : [
              {
                id: 'session',
                title: text.sessionHistory,
                run: () => places.go({ params: { q: clauseOf('session', row.session ?? ''), by: null } }),
              },
            ]),
        ...(replica === null
          ? []
          : [
              {
                id: 'replica',
                title: text.showReplica,
                run: () => places.go({ view: 'replicas', params: { sel: `replica:${replica}` } }),
              },
            ]),
        { id: 'id', title: text.copyId, keys: 'c i', run: () => actions.copyId(row) },
        { id: 'request', title: text.copyRequestId, run: () => copy(row.requestId, text.copyRequestId) },
        { id: 'json', title: text.copyJson, keys: 'c j', run: () => actions.copyJson(row) },
        { id: 'curl', title: text.copyCurl, keys: 'c c', run: () => actions.copyCurl(row) },
        ...clauses.flatMap((clause) => [
          { id: `to-${clause}`, title: text.filterTo(visible(clause)), run: () => filterTo(clause) },
          { id: `not-${clause}`, title: text.exclude(visible(clause)), run: () => filterTo(`-${clause}`) },
        ]),
      ]
    },
  }
}

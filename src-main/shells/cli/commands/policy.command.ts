import type { PolicyInfo } from '../../../contract/rpc'
import type { PolicyInForce } from '../../../domain/journal/record'
import type { ParamValue } from '../../../domain/routing/policy'
import { exitCodes, Stop } from '../../exit'
import { defineCommand } from '../command'
import { table } from '../print'

export default defineCommand({
  id: 'policy',
  define: (command, context) =>
    command
      .description('lists the routing policies, or puts one in force on the local router')
      .argument('[id]', 'the policy')
      .argument('[params...]', 'its parameters as name=value')
      .action(async (id: string | undefined, params: string[]) => {
        const { json, print, ask } = context()
        if (id === undefined) {
          const { policy } = (await ask('status.read', {})).health
          const list = await ask('policies.list', {})
          return print(json ? JSON.stringify(marked(list, policy)) : words(list, policy))
        }
        await ask('policy.set', { id, params: Object.fromEntries(params.map(parameter)) })
        print(json ? JSON.stringify({ policy: id }) : `${id} is in force`)
      }),
})

/** The list with the one in force marked; `inForce` holds its parameters and is null for the others. */
const marked = (list: readonly PolicyInfo[], { id, params }: PolicyInForce) =>
  list.map((each) => ({ ...each, inForce: each.id === id ? params : null }))

function words(list: readonly PolicyInfo[], { id, params }: PolicyInForce): string {
  const set = Object.entries(params).map(([name, value]) => ` ${name}=${value}`)
  return [
    table(
      ['POLICY', 'IN FORCE', 'SUMMARY'],
      list.map((each) => [each.id, each.id === id ? 'yes' : '', each.summary]),
    ),
    '',
    `in force: ${id}${set.join('')}`,
  ].join('\n')
}

function parameter(text: string): [string, ParamValue] {
  const at = text.indexOf('=')
  if (at < 1) throw new Stop(exitCodes.usage, `${text} is no parameter; write name=value`)
  const value = text.slice(at + 1)
  if (value === 'true' || value === 'false') return [text.slice(0, at), value === 'true']
  return [text.slice(0, at), value !== '' && Number.isFinite(Number(value)) ? Number(value) : value]
}

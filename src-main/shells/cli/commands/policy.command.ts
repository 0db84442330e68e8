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
        await ask('policy.set', { id, params: parameters(params) })
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

function parameters(texts: readonly string[]): Record<string, ParamValue> {
  const given = texts.map(parameter)
  const twice = given.find(([name], at) => given.findIndex(([each]) => each === name) < at)
  if (twice) throw new Stop(exitCodes.usage, `${twice[0]} is given twice; leave one out`)
  return Object.fromEntries(given)
}

function parameter(text: string): [string, ParamValue] {
  const at = text.indexOf('=')
  // A name of JavaScript's own, such as __proto__, would be lost on its way to the console.
  if (!/^[a-z][a-z0-9_]*$/i.test(text.slice(0, Math.max(0, at))))
    throw new Stop(exitCodes.usage, `${text} is no parameter; write name=value`)
  const value = text.slice(at + 1)
  if (value === 'true' || value === 'false') return [text.slice(0, at), value === 'true']
  return [text.slice(0, at), value !== '' && Number.isFinite(Number(value)) ? Number(value) : value]
}

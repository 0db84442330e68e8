import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { listenLocal } from '../../src-main/adapters/local-socket/listen-local'
import { createNodeFs } from '../../src-main/adapters/node/fs'
import { nodeNet } from '../../src-main/adapters/node/net'
import { createStreamTransport } from '../../src-main/adapters/transports/stream'
import { runCli } from '../../src-main/shells/cli/main'
import { connectConsole } from '../../src-main/shells/console-client'
import { explainEnd, Stop } from '../../src-main/shells/exit'
import { aRow } from '../helpers/a-row'
import { aTempFolder } from '../helpers/temp-folder'
import { aFleet, aHealth, aReplica, aSummary } from '../renderer/builders'

let printed: { out: string; err: string }
beforeEach(() => {
  printed = { out: '', err: '' }
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed.out += text
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed.err += text
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

type Answer =
  | { readonly value: unknown }
  | { readonly code: string; readonly message: string }
  | 'silence'
  | 'hang up'

/** A console on a socket that answers from a table and notes what it was asked. */
async function aConsole(answers: Readonly<Record<string, Answer>>) {
  const folder = aTempFolder()
  const asked: { readonly name: string; readonly params: Record<string, unknown> }[] = []
  const listening = await listenLocal(nodeNet, createNodeFs(), join(folder, 'control.sock'), (socket) => {
    const transport = createStreamTransport(socket)
    transport.onFrame((raw) => {
      const { id, name, params } = raw as { id: number; name: string; params: Record<string, unknown> }
      asked.push({ name, params })
      const answer = answers[name] ?? 'hang up'
      if (answer === 'hang up') socket.destroy()
      else if (answer !== 'silence')
        transport.send({ k: 'value' in answer ? 'reply' : 'refusal', id, ...answer })
    })
  })
  if (!listening.ok) return expect.fail(listening.error.message)
  onTestFinished(() => listening.value.close())
  return { folder, asked }
}

/** Runs one command line; what it printed, and its exit code. */
async function run(folder: string, ...args: string[]) {
  printed = { out: '', err: '' }
  process.exitCode = undefined
  await runCli(['--data-dir', folder, ...args])
  return { code: process.exitCode ?? 0, ...printed }
}
const noDecisions = { 'decisions.last': { value: { rows: [], matched: 0, searched: 0, fromWallMs: null } } }

describe('a filter', () => {
  test.each([
    [['-outcome:ok'], '-outcome:ok'],
    [['-ttft>500ms'], '-ttft>500ms'],
    [['-rank>=1', '--last', '5'], '-rank>=1'],
    [['outcome:refused', 'OR', '-served:r3'], 'outcome:refused OR -served:r3'],
    [['-(served:r1 OR served:r2)'], '-(served:r1 OR served:r2)'],
    [['-"some text"', '-~r[12]'], '-"some text" -~r[12]'],
    [['--', '-outcome:ok'], '-outcome:ok'],
    [[], ''],
  ])('%j is taken as one', async (args, filter) => {
    const { folder, asked } = await aConsole(noDecisions)
    const { code, err } = await run(folder, '--json', 'decisions', ...args)
    expect([code, err]).toEqual([0, ''])
    expect(String(asked[0]?.params.filter).replace(/ +/g, ' ').trim()).toBe(filter)
  })

  test.each([
    [['-o', 'yaml'], /argument 'yaml' is invalid\. Allowed choices are table, json/],
    [['-obogus'], /argument 'bogus' is invalid/],
    [['-o', ''], /argument '' is invalid/],
    [['-x'], /unknown option '-x'/],
  ])('%j is none, and no form of output either', async (args, message) => {
    const { folder, asked } = await aConsole(noDecisions)
    const { code, err } = await run(folder, 'decisions', ...args)
    expect([code, err.trim().split('\n').length, asked]).toEqual([64, 1, []])
    expect(err).toMatch(message)
  })
})

describe('an option with nothing in it is refused', () => {
  test.each([
    [['status', '--data-dir', '']],
    [['--data-dir', ' ', 'status']],
    [['fault', 'replica-kill', '--replica', '']],
    [['fault', 'router-down', '--for', '']],
    [['decisions', '--last', '']],
    [['route', '--replicas', '', 'a']],
    [['route', '--replicas', 'a', '--vnodes', '', 'a']],
    [['route', '--replicas', 'a', '']],
    [['scale', '']],
  ])('%j', async (args) => {
    await runCli(args)
    expect([process.exitCode, printed.out, printed.err.trim().split('\n').length]).toEqual([64, '', 1])
  })
})

describe('a console that does not answer', () => {
  test('is told in one line when the time is over', async () => {
    const { folder } = await aConsole({ 'status.read': 'silence', 'fleet.scale': 'silence' })
    const client = await connectConsole(folder, 20)
    onTestFinished(() => client.close())
    const read = await client.call('status.read', {})
    const change = await client.call('fleet.scale', { replicas: 3 })
    expect(read).toMatchObject({
      error: {
        code: 'timeout',
        message: expect.stringContaining('did not answer status.read within 0.02 s;'),
      },
    })
    expect(change).toMatchObject({
      error: { message: expect.stringContaining('whether it took effect is not known') },
    })
  })
  test('ends with 69 when the connection is lost', async () => {
    const { folder } = await aConsole({})
    const end = await run(folder, 'status')
    expect([end.code, end.out]).toEqual([69, ''])
    expect(end.err).toMatch(/^signalbox: the console on .* went away before it answered status\.read; .*\n$/)
  })
})

test.each([
  [['policy', 'consistent-hash', '__proto__=1'], '__proto__=1 is no parameter; write name=value'],
  [['policy', 'consistent-hash', 'a=1', 'a=2'], 'a is given twice; leave one out'],
  [
    [
      'route',
      '--replicas',
      Array.from({ length: 101 }, (_, at) => `r${at}`).join(),
      '--vnodes',
      '10000',
      's',
    ],
    '101 replicas with 10000 virtual nodes each are more than 1000000 points; lower --vnodes',
  ],
])('%j is wrong usage, and says why', async (args, why) => {
  const { folder, asked } = await aConsole({})
  expect(await run(folder, ...args)).toEqual({ code: 64, out: '', err: `signalbox: ${why}\n` })
  expect(asked).toEqual([])
})

describe('exit codes of refusals', () => {
  test.each([
    ['bad_params', 64],
    ['bad_filter', 64],
    ['no_such_policy', 64],
    ['no_such_replica', 1],
    ['read_only', 1],
    ['restarting', 1],
  ])('%s is %i', async (code, exitCode) => {
    const { folder } = await aConsole({ 'policy.set': { code, message: 'no' } })
    expect(await run(folder, 'policy', 'x')).toEqual({ code: exitCode, out: '', err: 'signalbox: no\n' })
  })
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this looks for
const acts = /[\u0000-\u001f\u007f-\u009f\u202e]/

describe('SR-085 what comes from data acts on no terminal', () => {
  test('in errors', async () => {
    const message = 'there is no replica \u001b[31mr9\u009b2J\nand more'
    const { folder } = await aConsole({ 'policy.set': { code: 'x', message } })
    expect((await run(folder, 'policy', 'x')).err).toBe(
      'signalbox: there is no replica \\u001b[31mr9\\u009b2J\\u000aand more\n',
    )
  })
  test.each([['--json'], ['--output=table']])('in answers with %s', async (form) => {
    const removed = ['r\u001b[2J', 'r\u202e']
    const { folder } = await aConsole({ 'fleet.scale': { value: { from: 2, to: 1, added: [], removed } } })
    expect((await run(folder, form, 'scale', '1')).out.trim()).not.toMatch(acts)
  })
})

describe('words', () => {
  test.each([
    [0, '0 faults cleared\n'],
    [1, '1 fault cleared\n'],
    [2, '2 faults cleared\n'],
  ])('%i', async (cleared, words) => {
    const { folder } = await aConsole({ 'faults.clear': { value: { cleared } } })
    expect((await run(folder, 'fault', 'clear')).out).toBe(words)
  })
  test('policy says which one is in force, with what', async () => {
    const policies = ['consistent-hash', 'round-robin'].map((id) => ({ id, summary: `about ${id}` }))
    const policy = { id: 'round-robin', params: { start: 2 } }
    const { folder } = await aConsole({
      'policies.list': { value: policies },
      'status.read': { value: { health: { policy } } },
    })
    expect((await run(folder, 'policy')).out).toBe(
      [
        'POLICY           IN FORCE  SUMMARY',
        'consistent-hash            about consistent-hash',
        'round-robin      yes       about round-robin',
        '',
        'in force: round-robin start=2',
        '',
      ].join('\n'),
    )
    expect(JSON.parse((await run(folder, 'policy', '--json')).out)).toMatchObject([
      { id: 'consistent-hash', inForce: null },
      { id: 'round-robin', inForce: { start: 2 } },
    ])
  })
  test('decisions tell the decision from the request, and the time to the first token', async () => {
    const value = { rows: [aRow()], matched: 1, searched: 1, fromWallMs: null }
    const { folder } = await aConsole({ 'decisions.last': { value } })
    const [titles, row] = (await run(folder, 'decisions')).out.split('\n')
    expect(titles?.split(/ {2,}/)).toEqual([
      'TIME UTC',
      'DECISION',
      'SESSION',
      'POLICY',
      'PICK',
      'SERVED',
      'RANK',
      'OUTCOME',
      'STATUS',
      'TTFT ms',
      'REASON',
    ])
    expect(row).toMatch(/ 200 +200 {2}ok$/)
    expect(JSON.parse((await run(folder, 'decisions', '--json')).out)).toMatchObject([
      { id: 'd1', requestId: 'q1', ttftMs: 200 },
    ])
  })
  test('decisions name the outcome that filters know', async () => {
    const fallback = aRow({ outcome: { served: 'r2', rank: 1 } })
    const { folder } = await aConsole({
      'decisions.last': { value: { rows: [fallback], matched: 1, searched: 1, fromWallMs: null } },
    })
    expect((await run(folder, 'decisions', '-outcome:ok')).out).toMatch(/ 1 +fallback +200 /)
  })
  test.each([
    [[], 'no decisions yet\n'],
    [['outcome:refused', 'ttft>1s'], 'nothing matches outcome:refused ttft>1s among 40 decisions\n'],
  ])('decisions %j that there are none of: %j', async (filter, out) => {
    const { folder } = await aConsole({
      'decisions.last': { value: { rows: [], matched: 0, searched: 40, fromWallMs: null } },
    })
    expect((await run(folder, 'decisions', ...filter)).out).toBe(out)
  })
  test.each([
    ['runs', { asked: 'proxy' }, 'running'],
    ['was only routed: no outcome will come', { asked: 'http' }, 'routed only'],
    ['was refused over HTTP', { asked: 'http', pick: null, refusal: 'no_replica' }, 'no_replica'],
  ] as const)('a decision without an outcome that %s', async (_, own, reason) => {
    const rows = [aRow({ outcome: null, ...own })]
    const { folder } = await aConsole({
      'decisions.last': { value: { rows, matched: 1, searched: 1, fromWallMs: null } },
    })
    expect((await run(folder, 'decisions')).out.trim()).toMatch(new RegExp(` {2}${reason}$`))
  })
})

describe('status judges as the page does', () => {
  const startWallMs = aSummary().takenWallMs
  const [well, down] = [
    aFleet([aReplica('r1'), aReplica('r2')]),
    aFleet([aReplica('r1'), aReplica('r2', {}, 'down')]),
  ]
  test.each([
    ['all is well', {}, well, 0, 'errors 0.00 % (n 720, 1 m)  TTFT'],
    [
      'clients err',
      { clientErrors: { part: 360, whole: 720 } },
      well,
      0,
      '(n 720, 1 m)  client errors 360  TTFT',
    ],
    ['a few requests failed', { errors: { part: 6, whole: 720 } }, well, 1, 'errors 0.83 %'],
    ['many failed', { errors: { part: 30, whole: 720 } }, well, 2, 'errors 4.17 %'],
    [
      'they fail',
      { failingSinceWallMs: startWallMs - 3_600_000 },
      well,
      2,
      'requests fail since 2026-01-01T02:00:00Z',
    ],
    [
      'it was over a while ago',
      { failed: { fromWallMs: startWallMs - 240_000, toWallMs: startWallMs - 120_000 } },
      well,
      0,
      'requests failed from 2026-01-01T02:56:00Z to 2026-01-01T02:58:00Z; over since',
    ],
    ['a replica is down', {}, down, 1, '1 of 2 replicas down'],
  ] as const)('%s', async (_, summary, fleet, code, words) => {
    const value = { health: aHealth(), fleet, summary: aSummary(summary) }
    const { folder } = await aConsole({ 'status.read': { value } })
    const { out } = await run(folder, 'status')
    expect([process.exitCode, out]).toEqual([code, expect.stringContaining(words)])
    expect(out.split(' ')[0]).toBe(['OK', 'WARNING', 'CRITICAL'][code])
  })
})

test('what was asked for goes to stdout, all else to stderr', () => {
  expect([explainEnd(new Stop(0, 'two\nlines')), printed]).toEqual([0, { out: 'two\nlines\n', err: '' }])
  expect([explainEnd(new Stop(64, 'no')), printed.err]).toEqual([64, 'signalbox: no\n'])
  expect(explainEnd(new Error('a\u001bb'))).toBe(70)
  expect(printed.err).toBe('signalbox: no\nsignalbox: internal error: a\\u001bb\n')
})

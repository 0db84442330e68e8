import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { runCli } from '../shells'
import { expect, test } from './console'

const vectors = JSON.parse(readFileSync('test/fixtures/ray-serve/ring-vectors.json', 'utf8'))

test.describe('signalbox route needs no console', () => {
  for (const row of vectors.ring_cases) {
    test(row.name, async () => {
      const sessions = row.sessions.filter(
        ({ session }: { session: string }) => session !== '' && !session.includes('\0'),
      )
      const { stdout, code } = await runCli([
        'route',
        '--replicas',
        row.replica_unique_ids.join(','),
        '--vnodes',
        String(row.num_virtual_nodes),
        '--fallbacks',
        String(row.num_fallback_replicas),
        '--json',
        '--',
        ...sessions.map(({ session }: { session: string }) => session),
      ])
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toEqual(
        sessions.map(({ session, hash, ranked }: { session: string; hash: string; ranked: string[] }) => ({
          session,
          hash,
          ranked,
        })),
      )
    })
  }
  test('prints a table for people', async () => {
    const { stdout } = await runCli([
      'route',
      '--replicas',
      'k3v9x0qa,p7m2zt41,w0c8ydr5,h5n1jb6e',
      'chat-7f83',
    ])
    expect(stdout).toBe(
      'SESSION    HASH                 RANKED\nchat-7f83  1385015838898421310  p7m2zt41 k3v9x0qa h5n1jb6e\n',
    )
  })
  for (const [name, args, message] of [
    ['no replicas', ['route', 'a'], "required option '--replicas <ids>' not specified"],
    ['an empty id', ['route', '--replicas', 'a,,b', 'x'], '--replicas has an empty id'],
    ['an id twice', ['route', '--replicas', 'a,b,a', 'x'], '--replicas names a twice'],
    ['no session', ['route', '--replicas', 'a'], "missing required argument 'sessions'"],
    [
      'an unknown flag',
      ['route', '--replicas', 'a', '--vnode', '5', 'x'],
      "unknown option '--vnode' (Did you mean --vnodes?)",
    ],
    [
      'a wrong number',
      ['route', '--replicas', 'a', '--vnodes', '0', 'x'],
      'It must be a whole number from 1 to 10000',
    ],
    ['an unknown command', ['rout'], "unknown command 'rout'"],
  ] as const) {
    test(`refuses ${name} in one line`, async () => {
      const { stdout, stderr, code } = await runCli(args)
      expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({
        code: 64,
        stdout: '',
        lines: 1,
      })
      expect(stderr).toContain(message)
    })
  }
})

test('version is printed both ways', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect((await runCli(['version'])).stdout).toBe(`signalbox ${version}\n`)
  expect(JSON.parse((await runCli(['version', '--json'])).stdout)).toMatchObject({ version })
})

test('a reader that has enough ends it without a word', async () => {
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) =>
    execFile(
      'sh',
      ['-c', `${process.execPath} out/main/cli.cjs --help | true; echo done`],
      (_, stdout, stderr) => resolve({ stdout, stderr }),
    ),
  )
  expect([stdout, stderr]).toEqual(['done\n', ''])
})

test('without a console every other command says so and how to start one', async ({}, info) => {
  for (const args of [['status'], ['decisions'], ['scale', '3'], ['fault', 'clear']]) {
    const { code, stderr } = await runCli([...args, '--data-dir', info.outputPath('nothing')])
    expect(code).toBe(69)
    expect(stderr).toMatch(
      /^signalbox: no console runs on .*; start one with npm start, or name its folder with --data-dir\n$/,
    )
  }
})

test.describe('with a console', () => {
  test('status, scale and fault act on it and say what they did', async ({ console }) => {
    const { cli } = console
    expect(JSON.parse((await cli('status', '--json')).stdout)).toMatchObject({
      verdict: 'ok',
      health: { environment: 'DEMO', proxyUrl: console.ready.proxyUrl },
    })
    expect((await cli('status')).stdout).toContain('REPLICA')
    expect((await cli('status')).code).toBe(0)
    expect((await cli('scale', '4')).stdout).toBe('3 → 4 replicas: +r4\n')
    expect(JSON.parse((await cli('scale', '3', '--json')).stdout)).toEqual({
      from: 4,
      to: 3,
      added: [],
      removed: ['r4'],
    })
    expect((await cli('fault', 'router-500', '--for', '30s')).stdout).toMatch(
      /^router-500 is in force until \d\d:\d\d:\d\d\.\d{3} UTC\n$/,
    )
    const warned = await cli('status')
    expect([warned.code, warned.stdout]).toEqual([
      1,
      expect.stringContaining('FAULT: router-500 is in force'),
    ])
    expect((await cli('fault', 'clear')).stdout).toBe('1 fault cleared\n')
  })
  test('policies are listed and changed, and a wrong parameter is named with the right one', async ({
    console,
  }) => {
    const { cli } = console
    expect(JSON.parse((await cli('policy', '--json')).stdout).map(({ id }: { id: string }) => id)).toContain(
      'round-robin',
    )
    expect((await cli('policy', 'round-robin')).stdout).toBe('round-robin is in force\n')
    const wrong = await cli('policy', 'consistent-hash', 'virtual_nodes=50')
    expect([wrong.code, wrong.stderr]).toEqual([
      64,
      'signalbox: consistent-hash has no parameter virtual_nodes; did you mean num_virtual_nodes? It has: num_virtual_nodes, num_fallback_replicas\n',
    ])
  })
  for (const [args, message] of [
    [['decisions', '-o', 'yaml'], 'Allowed choices are table, json'],
    [['decisions', '-outcom:ok'], 'outcom'],
    [['fault', 'router-dwn'], 'there is no fault router-dwn; did you mean router-down?'],
    [['fault', 'router-down', '--for', '5'], '--for 5 is no duration'],
    [['scale', '0'], 'It must be a whole number from 1 to 64'],
    [['decisions', '--last', '5000'], 'It must be a whole number from 1 to 1000'],
  ] as const) {
    test(`${args.join(' ')} is refused in words`, async ({ console }) => {
      const { code, stderr } = await console.cli(...args)
      expect(code).toBe(64)
      expect(stderr).toContain(message)
    })
  }
  test('a replica that is not there is named with those that are', async ({ console }) => {
    const { code, stderr } = await console.cli('fault', 'replica-kill', '--replica', 'r9')
    expect([code, stderr]).toEqual([1, 'signalbox: there is no running replica r9; there are: r1, r2, r3\n'])
  })
})

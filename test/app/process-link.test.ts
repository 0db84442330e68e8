import { expect, test } from 'vitest'
import { awayWords } from '../../src-main/app/control/process-link'

test.each([
  ['starting', 'restarting', 'the router process is starting; signalbox status says when it is up'],
  ['restarting', 'restarting', 'the router process is being restarted; try again in a second'],
  [
    'stopped',
    'process_down',
    'the router process keeps ending (exit 1) and is left down; restart Signalbox after fixing the cause',
  ],
] as const)('a process that is %s is answered for with %s', (state, code, message) => {
  expect(awayWords({ role: 'router', state, lastExit: 'exit 1' })).toEqual({
    ok: false,
    error: { code, message },
  })
})

test('so is one that was never started', () => {
  expect(awayWords(undefined)).toMatchObject({ ok: false, error: { code: 'not_started' } })
})

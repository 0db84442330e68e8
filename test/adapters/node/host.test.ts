import { userInfo } from 'node:os'
import { afterEach, expect, test, vi } from 'vitest'
import { createNodeHost } from '../../../src-main/adapters/node/host'

afterEach(() => vi.unstubAllEnvs())

test.each([
  ['', userInfo().homedir],
  ['relative', userInfo().homedir],
  ['/home/somebody', '/home/somebody'],
])('HOME=%s is the home folder %s, never the working folder', (variable, home) => {
  vi.stubEnv('HOME', variable)
  expect(createNodeHost().home).toBe(home)
})

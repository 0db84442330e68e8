import { describe, expect, test } from 'vitest'
import { checkAccess, isJson, loopbackAuthorities } from '../../src-main/domain/access'

const ours = loopbackAuthorities(9265)
const check = (headers: Partial<Parameters<typeof checkAccess>[0]>, changesState = false) =>
  checkAccess(
    {
      hosts: ['127.0.0.1:9265'],
      origin: undefined,
      fetchSite: undefined,
      contentType: undefined,
      ...headers,
    },
    ours,
    changesState,
  )

describe('SR-021 Host is one of the exact texts', () => {
  test.each(['127.0.0.1:9265', 'localhost:9265', '[::1]:9265', 'LOCALHOST:9265'])('%s passes', (host) => {
    expect(check({ hosts: [host] })).toBeNull()
  })
  test.each([
    [[]],
    [['']],
    [['127.0.0.1:9265', '127.0.0.1:9265']],
    [['evil.test:9265']],
    [['127.evil.test:9265']],
    [['localhost.']],
    [['localhost:1']],
    [['localhost']],
    [['0.0.0.0:9265']],
    [['2130706433:9265']],
    [['127.1:9265']],
    [['[::ffff:127.0.0.1]:9265']],
    [['１２７.0.0.1:9265']],
    [['user@127.0.0.1:9265']],
    [['127.0.0.1:9265 ']],
  ])('%j is turned away', (hosts) => {
    expect(check({ hosts })).toBe('host_not_allowed')
  })
})

describe('SR-022 Origin and fetch metadata', () => {
  test.each(['http://127.0.0.1:9265', undefined])('origin %s passes', (origin) => {
    expect(check({ origin })).toBeNull()
  })
  test.each([
    'null',
    '',
    'http://evil.test',
    'http://localhost:1',
    'http://localhost:9265', // another entry than the Host that was used
    'http://127.0.0.1.evil.test',
    'HTTP://127.0.0.1:9265',
    'http://127.0.0.1:9265/',
  ])('origin %j is turned away', (origin) => {
    expect(check({ origin })).toBe('origin_not_allowed')
  })
  test.each([
    ['same-origin', null],
    ['none', null],
    ['cross-site', 'origin_not_allowed'],
    ['same-site', 'origin_not_allowed'],
  ])('sec-fetch-site %s', (fetchSite, refusal) => {
    expect(check({ fetchSite })).toBe(refusal)
  })
})

describe('SR-024 what changes something carries JSON', () => {
  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    '%s passes',
    (contentType) => {
      expect(check({ contentType }, true)).toBeNull()
    },
  )
  test.each([
    undefined,
    '',
    'text/plain',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'text/plain, application/json',
  ])('%s is turned away', (contentType) => {
    expect(check({ contentType }, true)).toBe('content_type')
    expect(isJson(contentType)).toBe(false)
  })
})

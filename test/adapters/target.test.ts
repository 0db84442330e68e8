import { describe, expect, test } from 'vitest'
import { targetOf } from '../../src-main/adapters/http/target'

describe('[SR-077] addresses that may be read', () => {
  test.each([
    ['http://127.0.0.1:30001', '127.0.0.1', 30_001, '/'],
    ['http://localhost:8000/metrics?x=1', '127.0.0.1', 8_000, '/metrics?x=1'],
    ['http://[::1]:9/health', '::1', 9, '/health'],
    ['http://10.1.2.3', '10.1.2.3', 80, '/'],
    ['http://0x7f000001:81', '127.0.0.1', 81, '/'],
  ])('%s', (url, host, port, path) => {
    expect(targetOf(url)).toEqual({ ok: true, value: { host, port, path } })
  })

  test.each([
    'not an address',
    'https://127.0.0.1/',
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'http://user:secret@127.0.0.1/',
    'http://user@127.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/',
    'http://0251.0376.0251.0376/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://0xA9FEA9FE/',
    'http://169.254.43518/',
    'http://１６９.２５４.１６９.２５４/',
    'http://169。254。169。254/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[feb0::1]/',
    'http://[ff02::1]/',
    'http://[::]/',
    'http://0.0.0.0/',
    'http://0/',
    'http://0.1.2.3/',
    'http://224.0.0.1/',
    'http://239.255.255.250/',
    'http://255.255.255.255/',
    'http://240.0.0.1/',
    'http://metadata.google.internal/',
    'http://replica.example:8000/',
    'http://127.0.0.1.nip.io/',
    'http://exa\u0000mple/',
    'http://127.0.0.1:99999/',
    'http://[::1%25eth0]/',
    'http://',
    '//127.0.0.1/',
    'http://1.2.3.4.5/',
    'javascript:alert(1)',
  ])('refuses %j', (url) => {
    const target = targetOf(url)
    expect(target).toMatchObject({ ok: false, error: { kind: 'target-refused' } })
    if (!target.ok) expect(target.error.message).not.toContain('secret')
  })
})

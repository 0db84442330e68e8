import { createHash, createHmac } from 'node:crypto'
import type { Digests } from '../../ports/seams/digests'

/** Digests by the platform's crypto library. @param keyHex the HMAC key, hex */
export function createNodeDigests(keyHex: string): Digests {
  const key = Buffer.from(keyHex, 'hex')
  return {
    sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
    keyed: (text) => createHmac('sha256', key).update(text, 'utf8').digest('hex').slice(0, 32),
  }
}

/** Address of our page in the desktop shell; nothing else is ever shown. */
export const pageOrigin = 'app://signalbox'

/** What Electron tells about the sender of a message. */
export interface Sender {
  readonly url: string
  readonly isMainFrame: boolean
  readonly destroyed: boolean
  /** Of a window that this shell opened. */
  readonly ours: boolean
}

/** True for the main frame of one of our own live windows, showing our own page (SR-004). */
export function isTrusted(sender: Sender | null): boolean {
  if (!sender || sender.destroyed || !sender.ours || !sender.isMainFrame) return false
  return sender.url === pageOrigin || sender.url.startsWith(`${pageOrigin}/`)
}

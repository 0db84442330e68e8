/**
 * A two-way pipe for frames: IPC, a WebSocket, a local socket or a pair in memory. Frames are plain JSON values. Order is
 * kept; after `onClose` nothing comes any more.
 */
export interface Transport {
  /** False when the frame was not taken because the other side is too slow or gone. */
  send(frame: unknown): boolean
  onFrame(listener: (frame: unknown) => void): void
  /** Fires once, also when the pipe was closed from this side. */
  onClose(listener: (why: string) => void): void
  close(why?: string): void
  /** Bytes handed over but not yet sent, 0 where the pipe cannot tell. */
  readonly bufferedBytes: number
}

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Transport } from '../../contract/transport'
import type { Child, Proc } from '../../ports/seams/proc'

/** Roles as Node child processes. Their standard output goes to our stderr, since ours is a contract for scripts. */
export function createNodeProc(programFolder: string): Proc {
  return {
    start(role) {
      const child = fork(join(programFolder, `${role}.cjs`), [], {
        stdio: ['ignore', 2, 2, 'ipc'],
        execArgv: [],
        env: { ...process.env, NODE_OPTIONS: '' },
      })
      return nodeChild(child)
    },
  }
}

function nodeChild(child: ChildProcess): Child {
  const listeners: ((how: string) => void)[] = []
  let how: string | null = null
  const ended = (words: string) => {
    if (how !== null) return
    how = words
    for (const listener of listeners) listener(words)
  }
  child.once('exit', (code, signal) => ended(signal === null ? `exit ${code}` : `signal ${signal}`))
  child.once('error', (error) => ended(error.message))
  return {
    pid: child.pid ?? null,
    link: childTransport(child),
    onExit(listener) {
      if (how === null) listeners.push(listener)
      else listener(how)
    },
    kill: (signal) => void child.kill(signal),
  }
}

function childTransport(child: ChildProcess): Transport {
  return {
    send(frame) {
      if (!child.connected) return false
      child.send(frame as object, (error) => void error) // a failed send is told by the exit that follows it
      return true
    },
    onFrame: (listener) => void child.on('message', listener),
    onClose: (listener) => void child.once('disconnect', () => listener('the process ended')),
    close: () => child.connected && child.disconnect(),
    bufferedBytes: 0,
  }
}

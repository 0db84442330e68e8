import { join } from 'node:path'
import { utilityProcess } from 'electron'
import type { Child, Proc } from '../../ports/seams/proc'

/** Roles as utility processes of the desktop app. */
export function createUtilityProc(programFolder: string): Proc {
  return {
    start(role): Child {
      const child = utilityProcess.fork(join(programFolder, `${role}.cjs`), [], {
        serviceName: `signalbox ${role}`,
        stdio: 'inherit',
      })
      const exits: ((how: string) => void)[] = []
      const closes: ((why: string) => void)[] = []
      let how: string | null = null
      let pid: number | null = null
      let asked = false
      child.once('spawn', () => {
        pid = child.pid ?? null
      })
      child.once('exit', (code) => {
        how = exitWords(code, asked)
        for (const listener of closes) listener('the process ended')
        for (const listener of exits) listener(how)
      })
      return {
        get pid() {
          return pid
        },
        link: {
          send(frame) {
            if (how !== null) return false
            child.postMessage(frame)
            return true
          },
          onFrame: (listener) => void child.on('message', listener),
          onClose: (listener) => closes.push(listener),
          close: () => {},
          bufferedBytes: 0,
        },
        onExit(listener) {
          if (how === null) exits.push(listener)
          else listener(how)
        },
        kill(signal) {
          asked = true
          if (signal === 'SIGTERM') child.kill()
          else if (pid !== null) process.kill(pid, signal)
        },
      }
    },
  }
}

/** Electron tells a kill from outside as code 0 on some systems, so a 0 that we did not ask for says both. */
function exitWords(code: number, asked: boolean): string {
  if (code === 0 && !asked) return 'killed, or exit 0'
  return code > 128 || code < 0 ? `signal or crash, code ${code}` : `exit ${code}`
}

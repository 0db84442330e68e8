// Runs one program to its end, with a deadline and a bounded memory of what it printed.
import { spawn } from 'node:child_process'

/** Of what a program printed the last part is kept, in characters. */
const outputLimit = 1024 * 1024

/**
 * What became of a program.
 * @typedef {object} Execution
 * @property {number | null} code exit code; null when a signal ended it
 * @property {string} output both streams as they came, without colours, the newest part of it
 * @property {string} stdout standard output alone
 * @property {boolean} timedOut
 */

/** Process groups that run now, so that an interrupt can end them. @type {Set<number>} */
const running = new Set()

/**
 * Runs a program in a process group of its own; past the deadline the whole group is ended.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ timeoutMs: number, env?: Record<string, string> }} options
 * @returns {Promise<Execution>}
 */
export function execute(program, args, { timeoutMs, env = {} }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', ...env },
    })
    let output = ''
    let stdout = ''
    let timedOut = false
    const { pid } = child
    if (pid !== undefined) running.add(pid)
    const timers = [
      setTimeout(() => {
        timedOut = true
        endGroup(pid, 'SIGTERM')
      }, timeoutMs),
      setTimeout(() => endGroup(pid, 'SIGKILL'), timeoutMs + 10_000),
    ]
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output = (output + chunk).slice(-outputLimit)
      stdout = (stdout + chunk).slice(-outputLimit)
    })
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      output = (output + chunk).slice(-outputLimit)
    })
    let settled = false
    /** @param {number | null} code */
    const settle = (code) => {
      if (settled) return
      settled = true
      for (const timer of timers) clearTimeout(timer)
      if (pid !== undefined) {
        endGroup(pid, 'SIGKILL') // what it may have left behind
        running.delete(pid)
      }
      resolve({ code, output: plain(output), stdout: plain(stdout), timedOut })
    }
    child.once('error', (error) => {
      output += error.message
      settle(null)
    })
    child.once('close', settle)
    // A grandchild that keeps the pipes open must not keep us waiting for ever.
    child.once('exit', (code) => setTimeout(() => settle(code), 5_000).unref())
  })
}

/** Ends every program that runs now: on an interrupt. */
export function endAll() {
  for (const pid of running) endGroup(pid, 'SIGKILL')
}

/**
 * @param {number | undefined} pid
 * @param {NodeJS.Signals} signal
 */
function endGroup(pid, signal) {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // it has ended
  }
}

/**
 * A text without colours.
 * @param {string} text
 */
export function plain(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
  return text.replace(/\u001b\[[0-9;]*m/g, '')
}

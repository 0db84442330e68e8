import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openChainedLog } from '../adapters/files/chained-log'
import { defaultDataFolder } from '../adapters/files/default-folder'
import { openDocument } from '../adapters/files/json-documents'
import { openProfile, type Profile } from '../adapters/files/profile'
import { createSecretFile } from '../adapters/files/secret-file'
import { keepListening } from '../adapters/local-socket/keep-listening'
import { nodeClock } from '../adapters/node/clock'
import { createNodeDigests } from '../adapters/node/digests'
import { createNodeFs } from '../adapters/node/fs'
import { createNodeHost } from '../adapters/node/host'
import { nodeNet } from '../adapters/node/net'
import { nodeRandom } from '../adapters/node/random'
import { nodeTimers } from '../adapters/node/timers'
import {
  type AuditBody,
  type Control,
  type ControlOptions,
  createControl,
  type Settings,
  type Shell,
} from '../app/control/control'
import { fail, ok } from '../base/result'
import type { Banner } from '../domain/journal/views'
import type { Audit } from '../ports/audit'
import type { Document } from '../ports/documents'
import type { Notice } from '../ports/notice'
import type { Proc } from '../ports/seams/proc'
import { createDoor } from './door'
import { exitCodes, Stop } from './exit'
import { plain } from './plain'
import { settingsDocument, withInitialParams } from './settings'
import { defaultPorts, type StartOptions } from './start-options'
import { version } from './version'

/** A console that runs: its data folder, its control, its local socket for the command line. */
export interface Console {
  readonly control: Control
  /** Waits up to `waitMs` for running streams, then ends every child and gives the data folder back. */
  close(waitMs: number): Promise<void>
}

/** What the shell around it is able to do, and what it has to confess. */
export interface ShellTraits extends Shell {
  /** True when the page runs without the system's sandbox: as root there is none. */
  readonly sandboxOff: boolean
}

const fs = createNodeFs()
const host = createNodeHost()
const plainDigests = createNodeDigests('')

/** Opens the data folder and starts the console on it. Throws `Stop` when that cannot be. */
export async function openConsole(options: StartOptions, proc: Proc, shell: ShellTraits): Promise<Console> {
  const profile = takeProfile(options.dataDir ?? defaultDataFolder(host))
  let meeting: Meeting | null = null
  const giveBack = () => {
    meeting?.remove()
    profile.release()
  }
  try {
    const notices: Notice[] = [...profile.notices]
    if (!profile.writable) sayReadOnly(notices)
    meeting = meetingPlace(profile)
    const audit = openAudit(profile)
    notices.push(...audit.status().notices)
    const settings = openSettings(profile, notices)
    const control = createControl(
      {
        clock: nodeClock,
        timers: nodeTimers,
        random: nodeRandom,
        proc,
        shell,
        audit: (kind, body) => {
          const appended = appendAudit(audit, kind, body)
          showAudit(audit, control)
          return appended
        },
        remember(value) {
          const saved = settings.save(value)
          if (!saved.ok) control.stand(noticeBanner(notKept(saved.error.words)))
        },
      },
      { ...controlOptions(options, profile, settings.value(), notices, shell), ingestPath: meeting.path },
    )
    if (profile.writable) showAudit(audit, control) // else the folder's own words say so
    const door = profile.writable ? await openDoor(profile, control, !options.readOnly) : null
    const older = nodeTimers.every(1_000, () => audit.checkOlder() || older.stop())
    return {
      control,
      async close(waitMs) {
        older.stop()
        await control.stop(waitMs)
        await door?.()
        audit.close()
        giveBack()
      },
    }
  } catch (error) {
    giveBack()
    throw error
  }
}

function takeProfile(folder: string): Profile {
  const opened = openProfile({ fs, host, clock: nodeClock, sha256: plainDigests.sha256, folder })
  if (opened.ok) return opened.value
  const { kind, words } = opened.error
  throw new Stop(kind === 'in-use' ? exitCodes.alreadyRunning : exitCodes.noFolder, words)
}

function openAudit(profile: Profile): Audit {
  const { auditFolder, anchorFile, ensureWritable } = profile
  const { sha256 } = plainDigests
  return openChainedLog({
    fs,
    clock: nodeClock,
    sha256,
    boot: nodeRandom.hex(4),
    folder: auditFolder,
    anchorFile,
    ensureWritable,
  })
}

function appendAudit(audit: Audit, kind: string, body: AuditBody) {
  const appended = audit.append({ kind: `action.${kind}`, body })
  if (appended.ok) return ok(null)
  return fail({
    code: appended.error.code,
    message: `nothing was changed, because ${appended.error.words}`,
  })
}

/** Without the audit log every change is refused, which must be seen before somebody needs one (F70). */
function showAudit(audit: Audit, control: Control): void {
  const { writable, why } = audit.status()
  if (writable) return control.end(auditBannerId)
  const words = `Every change is refused, because the audit log cannot be written: ${why}. The next change tries again`
  control.stand({ ...noticeBanner({ code: auditBannerId, words }), severity: 'critical' })
}
const auditBannerId = 'audit'

function openSettings(profile: Profile, notices: Notice[]): Document<Settings> {
  const { folder, ensureWritable } = profile
  const opened = openDocument(
    { fs, clock: nodeClock, folder, writtenBy: version, ensureWritable },
    settingsDocument,
  )
  notices.push(...opened.notices)
  return opened.document
}

function controlOptions(
  options: StartOptions,
  profile: Profile,
  settings: Settings,
  notices: Notice[],
  shell: ShellTraits,
): Omit<ControlOptions, 'ingestPath'> {
  const ephemeral = options.port === 0
  const sessionKeyHex = sessionKey(profile, notices)
  return {
    version,
    replicas: options.replicas,
    seed: options.seed,
    speed: options.speed,
    policy: options.policy === null ? settings.policy : withInitialParams(options.policy),
    traffic: options.traffic,
    ratePerSecond: options.rate ?? settings.ratePerSecond,
    readOnly: options.readOnly,
    storeFolder: profile.writable ? join(profile.folder, 'store') : null,
    storeWhy: profile.writable ? null : 'the data folder cannot be written',
    sessionKeyHex,
    host: '127.0.0.1',
    proxyPort: options.proxyPort ?? (ephemeral ? 0 : defaultPorts.proxy),
    routerPort: options.routerPort ?? (ephemeral ? 0 : defaultPorts.router),
    ipv6: true,
    dataPlaneKey: options.dataPlaneKey === null ? null : readKey(options.dataPlaneKey),
    banners: [...notices.map(noticeBanner), ...runtimeBanners(shell)],
  }
}

/** The key of the session hashes: kept, so that hashes stay comparable; of this run only when it cannot be kept. */
function sessionKey(profile: Profile, notices: Notice[]): string {
  const create = () => nodeRandom.hex(32)
  if (!profile.writable) return create()
  const secret = createSecretFile(fs, host, profile.folder).secret('session-key', create)
  if (secret.ok && /^[0-9a-f]{64}$/.test(secret.value)) return secret.value
  const why = secret.ok ? 'secret-session-key holds no key; remove it' : secret.error.message
  notices.push({ code: 'session_key', words: `session hashes are of this run only: ${why}` })
  return create()
}

/** Where router and ingest meet. */
interface Meeting {
  readonly path: string
  remove(): void
}

/** Beside the control socket, so that its path is short enough, too; elsewhere when the folder cannot be written. */
function meetingPlace({ controlSocket, writable }: Profile): Meeting {
  const remove = () => {}
  if (host.platform === 'win32') return { path: `${controlSocket}-ingest`, remove }
  const name = controlSocket.endsWith('control.sock') ? 'ingest.sock' : `i-${controlSocket.slice(-12)}`
  if (writable) return { path: join(dirname(controlSocket), name), remove }
  const folder = join(host.temp, `signalbox-${nodeRandom.hex(6)}`)
  const made = fs.makeFolder(folder)
  if (!made.ok)
    throw new Stop(exitCodes.noFolder, `no folder for local sockets can be made: ${made.error.message}`)
  return {
    path: join(folder, 'ingest.sock'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Said where it was started, too: the command line, which could ask, does not reach such a console. */
function sayReadOnly(notices: readonly Notice[]): void {
  const why = notices.find(({ code }) => code === 'folder_read_only' || code === 'space_out')
  if (why)
    process.stderr.write(
      `signalbox: ${plain(why.words)}; until then nothing is kept and commands do not reach this console\n`,
    )
}

const notKept = (why: string): Notice => ({
  code: 'settings_not_kept',
  words: `What was set now holds until Signalbox stops and is not kept: ${why}`,
})

function readKey(path: string): string {
  const read = fs.read(path, 4_096)
  if (!read.ok) throw new Stop(exitCodes.usage, `the data-plane key cannot be read: ${read.error.message}`)
  const found = fs.stat(path)
  if (found.ok && found.value !== null && found.value.owner !== null && (found.value.mode & 0o077) !== 0) {
    throw new Stop(exitCodes.usage, `others can read the data-plane key ${path}; run chmod 600 on it`)
  }
  const key = Buffer.from(read.value).toString('utf8').trim()
  if (/^[\x21-\x7e]{16,}$/.test(key)) return key
  throw new Stop(
    exitCodes.usage,
    `${path} holds no usable key: at least 16 printable characters in one line are needed`,
  )
}

const noticeBanner = ({ code, words }: Notice): Banner => ({
  id: code,
  severity: 'warning',
  text: `${words}.`,
  sinceWallMs: nodeClock.wallMs(),
})

/** Release lines of Node that still get security fixes at the time of writing, with the lowest good patch (SR-015). */
const supportedNode: Readonly<Record<string, readonly [number, number]>> = {
  22: [23, 4],
  24: [22, 1],
  26: [12, 1],
}

function runtimeBanners({ sandboxOff }: ShellTraits): Banner[] {
  const sinceWallMs = nodeClock.wallMs()
  const [major = 0, minor = 0, patch = 0] = process.versions.node.split('.').map(Number)
  const floor = supportedNode[major]
  const supported =
    major > 26 || (floor !== undefined && (minor > floor[0] || (minor === floor[0] && patch >= floor[1])))
  const old = `Node ${process.versions.node} gets no security fixes any more; run Signalbox on a newer one.`
  const open =
    'The page runs without the system sandbox, since this is root; start Signalbox as a normal user.'
  return [
    ...(supported
      ? []
      : [{ id: 'runtime_unsupported', severity: 'notice' as const, text: old, sinceWallMs }]),
    ...(sandboxOff ? [{ id: 'sandbox_off', severity: 'warning' as const, text: open, sinceWallMs }] : []),
  ]
}

/** Opens the local socket of the command line, and again when its folder was deleted. Answers how to close it. */
async function openDoor(
  profile: Profile,
  control: Control,
  mayOperate: boolean,
): Promise<() => Promise<void>> {
  const listening = await keepListening({ net: nodeNet, fs, timers: nodeTimers }, profile.controlSocket, {
    onSocket: createDoor({ control, timers: nodeTimers, mayOperate }),
    onLost: (why) => control.stand(noticeBanner(lostFolder(profile, why))),
  })
  if (!listening.ok)
    throw new Stop(
      exitCodes.noFolder,
      `the command line's socket cannot be opened: ${listening.error.message}`,
    )
  return () => listening.value.close()
}

/** The socket went away while we ran: mostly with its folder (fault F91), which is taken again. */
function lostFolder(profile: Profile, why: string | null): Notice {
  const { controlSocket, folder } = profile
  const taken = profile.ensureWritable()
  const trouble = [taken.ok ? null : taken.error.words, why].filter((each) => each !== null)
  const words =
    trouble.length === 0
      ? `${controlSocket} was deleted while Signalbox ran, perhaps with all of ${folder}; both stand again, but files that were deleted are gone`
      : `${controlSocket} was deleted while Signalbox ran, and the command line cannot reach it: ${trouble.join('; ')}`
  return { code: 'folder_lost', words }
}

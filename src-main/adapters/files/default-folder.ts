import { join } from 'node:path'
import type { Host } from '../../ports/seams/host'

/** What the default folders depend on. */
export type FolderHost = Pick<Host, 'platform' | 'home' | 'variable'>

/** Where Signalbox keeps its data when nobody says otherwise. */
export function defaultDataFolder(host: FolderHost): string {
  if (host.platform === 'win32')
    return join(host.variable('APPDATA') ?? join(host.home, 'AppData', 'Roaming'), 'signalbox')
  if (host.platform === 'darwin') return join(host.home, 'Library', 'Application Support', 'signalbox')
  return join(host.variable('XDG_DATA_HOME') ?? join(host.home, '.local', 'share'), 'signalbox')
}

/**
 * The second folder, for the anchor: a removal of the data folder must not take it along. A data folder that was named
 * by hand has it inside, so that nothing of it lies elsewhere; that still shows a log that was cut or went away alone.
 */
export function anchorFolder(host: FolderHost, dataFolder: string): string {
  if (dataFolder !== defaultDataFolder(host)) return join(dataFolder, 'anchor')
  if (host.platform === 'win32')
    return join(host.variable('LOCALAPPDATA') ?? join(host.home, 'AppData', 'Local'), 'signalbox-anchor')
  if (host.platform === 'darwin') return join(host.home, 'Library', 'Application Support', 'signalbox-anchor')
  return join(host.variable('XDG_STATE_HOME') ?? join(host.home, '.local', 'state'), 'signalbox')
}

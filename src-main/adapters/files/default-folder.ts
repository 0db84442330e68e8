import { isAbsolute, join } from 'node:path'
import type { Host } from '../../ports/seams/host'

/** What the default folders depend on. */
export type FolderHost = Pick<Host, 'platform' | 'home' | 'variable'>

/** A relative folder would be another one for each working folder; the XDG rules have it ignored, too. */
function folderIn(host: FolderHost, variable: string): string | null {
  const named = host.variable(variable)
  return named !== null && (isAbsolute(named) || host.platform === 'win32') ? named : null
}

/** Where Signalbox keeps its data when nobody says otherwise. */
export function defaultDataFolder(host: FolderHost): string {
  if (host.platform === 'win32')
    return join(folderIn(host, 'APPDATA') ?? join(host.home, 'AppData', 'Roaming'), 'signalbox')
  if (host.platform === 'darwin') return join(host.home, 'Library', 'Application Support', 'signalbox')
  return join(folderIn(host, 'XDG_DATA_HOME') ?? join(host.home, '.local', 'share'), 'signalbox')
}

/**
 * The second folder, for the anchor: a removal of the data folder must not take it along. A data folder that was named
 * by hand has it inside, so that nothing of it lies elsewhere; that still shows a log that was cut or went away alone.
 */
export function anchorFolder(host: FolderHost, dataFolder: string): string {
  if (dataFolder !== defaultDataFolder(host)) return join(dataFolder, 'anchor')
  if (host.platform === 'win32')
    return join(folderIn(host, 'LOCALAPPDATA') ?? join(host.home, 'AppData', 'Local'), 'signalbox-anchor')
  if (host.platform === 'darwin') return join(host.home, 'Library', 'Application Support', 'signalbox-anchor')
  return join(folderIn(host, 'XDG_STATE_HOME') ?? join(host.home, '.local', 'state'), 'signalbox')
}

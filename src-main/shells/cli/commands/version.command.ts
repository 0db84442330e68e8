import { defineCommand } from '../command'

export default defineCommand({
  id: 'version',
  define: (command, context) =>
    command.description('prints the version').action(() => {
      const { json, print, version } = context()
      print(json ? JSON.stringify({ version, node: process.versions.node }) : `signalbox ${version}`)
    }),
})

// Stands in for Electron's default app, which this build lacks: makes `electron [switches] [-r FILE] <folder> …` work as
// with any other Electron, including the loader that Playwright puts before the app.
const { readFileSync } = require('node:fs')
const { join, resolve } = require('node:path')
const { app } = require('electron')

// A copy: Playwright's loader takes its own switches out of process.argv.
const args = process.argv.slice(1)
let folder = null
for (let at = 0; at < args.length && folder === null; at++) {
  const argument = args[at]
  if (argument === '-r' || argument === '--require') require(resolve(args[++at]))
  else if (argument === '--') break
  else if (!argument.startsWith('-')) folder = resolve(argument)
}
if (folder === null) {
  process.stderr.write('usage: electron <folder of an app>\n')
  app.exit(64)
} else {
  const { name, productName, version, main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (productName ?? name) app.setName(productName ?? name)
  if (version) app.setVersion(version)
  app.setAppPath(folder)
  require(join(folder, main ?? 'index.js'))
}

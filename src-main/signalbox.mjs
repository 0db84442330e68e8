#!/usr/bin/env node
// The command line: builds when needed, then runs out/main/cli.cjs in this process.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, top } from './build.mjs'

build()
await import(pathToFileURL(join(top, 'out', 'main', 'cli.cjs')).href)

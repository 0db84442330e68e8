import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, configure, render } from '@testing-library/react'
import { App } from '../../src-renderer/frame/app'
import { createPage, type Page } from '../../src-renderer/state/page'
import { createQueryClient } from '../../src-renderer/state/use-call'
import { PageContext } from '../../src-renderer/state/use-page'
import { views } from '../../src-renderer/views'
import { createManualClock, type ManualClock } from '../helpers/manual-clock'
import { aFleet, aHealth, aReplica, aRow, aSecond, aSummary, startWallMs } from './builders'
import { createScriptedServer, type ScriptedServer, settled } from './scripted-server'

/** A whole page on a scripted server, its time moved by hand. */
export interface ShownPage {
  readonly page: Page
  readonly server: ScriptedServer
  readonly clock: ManualClock
  /** Lets the server say something, and the page draw it. */
  told(say: () => Promise<void>): Promise<void>
  /** Moves the page's time. */
  wait(ms: number): Promise<void>
  press(key: string, more?: { readonly ctrlKey?: boolean }): Promise<void>
}

/** Without a browser it takes seconds to tell what is hidden; nothing here depends on it. */
configure({ defaultHidden: true })

/** There is no layout under test: every element counts as large as a window, so that virtual rows are drawn. */
for (const [name, px] of [
  ['clientHeight', 600],
  ['clientWidth', 1_200],
] as const)
  Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => px })

const shown: Page[] = []

/** Draws the page at a place. Answers are what the server's calls return. */
export async function showPage(
  hash: string,
  answers: Parameters<typeof createScriptedServer>[1] = {},
): Promise<ShownPage> {
  window.localStorage.clear()
  window.location.hash = hash
  const clock = createManualClock(startWallMs)
  const server = createScriptedServer(clock, {
    'policies.list': () => [],
    'timeline.read': () => [],
    ...answers,
  })
  const page = createPage({
    dial: server.dial,
    clock,
    frames: (job) => job(),
    window,
    views: views.map(({ id }) => id),
  })
  shown.push(page)
  render(
    <QueryClientProvider client={createQueryClient()}>
      <PageContext value={page}>
        <App />
      </PageContext>
    </QueryClientProvider>,
  )
  const told = async (say: () => Promise<void>) => {
    await act(async () => {
      await say()
      await settled()
    })
  }
  await told(async () => page.start())
  return {
    page,
    server,
    clock,
    told,
    wait: (ms) => told(async () => clock.advance(ms)),
    press: (key, more = {}) =>
      told(async () => {
        const target = document.activeElement ?? document.body
        target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }))
      }),
  }
}

/** What a healthy server says to a page that has just come. */
export async function tellAll({ server, told }: ShownPage): Promise<void> {
  await told(async () => {
    await server.hello()
    await server.snapshot('health', aHealth(), 1)
    await server.snapshot('fleet', aFleet(['r1', 'r2', 'r3'].map((id) => aReplica(id))), 1)
    await server.snapshot('summary', aSummary(), 1)
    await server.snapshot('cluster', [], 1)
    await server.snapshot(
      'seconds',
      [...Array(30).keys()].map((at) => aSecond(at - 30)),
      1,
    )
    await server.snapshot('decisions', [aRow('d1'), aRow('d2', { wallMs: startWallMs + 5 })], 1)
  })
}

/** Takes all pages away again. */
export function leavePages(): void {
  cleanup()
  for (const page of shown.splice(0)) page.stop()
}

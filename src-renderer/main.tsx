import './kit/theme.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { connect } from './bridge/connect'
import { App } from './frame/app'
import { browserClock, browserFrames } from './state/clock'
import { createPage } from './state/page'
import { createQueryClient } from './state/use-call'
import { PageContext } from './state/use-page'
import { views } from './views'

/** Styles that libraries add (scroll locks of dialogs) carry the nonce of this load. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
if (nonce) setNonce(nonce)

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id root')

const dial = connect(window) // first of all: it takes the ticket out of the address
const page = createPage({
  dial,
  clock: browserClock,
  frames: browserFrames,
  window,
  views: views.map(({ id }) => id),
})
page.start()
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <PageContext value={page}>
        <App />
      </PageContext>
    </QueryClientProvider>
  </StrictMode>,
)

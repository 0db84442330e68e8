import { createContext, useContext } from 'react'
import type { Page } from './page'

/** Hands the page down; set once, at the top. */
export const PageContext = createContext<Page | null>(null)

/** The page that this component is part of. */
export function usePage(): Page {
  const page = useContext(PageContext)
  if (!page) throw new Error('a component was drawn outside PageContext')
  return page
}

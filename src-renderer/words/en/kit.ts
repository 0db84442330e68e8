/** Words of the parts that know nothing of the field. */
export const kit = {
  close: 'Close',
  space: 'Space',
  closeDrawer: 'Close drawer (Esc)',
  sortedBy: (key: string) => `sort: ${key}`,
} as const

/** States that every view has (ux.md 18). */
export const states = {
  waitingFor: (what: string) => `Waiting for ${what}`,
  retry: 'Retry',
  notConnected: 'Nothing to show: this page is not connected.',
  notConnectedHint: 'The message above says how to connect it.',
  partFailed: 'This part of the page could not be drawn; the rest goes on.',
  clearFilter: 'Clear filter',
} as const

/** Charts. */
export const chart = {
  viewData: (title: string) => `View data of “${title}”`,
  copyCsv: 'Copy CSV',
  time: 'Time',
  latest: 'latest',
  surface: (title: string) =>
    `${title}: arrow keys move the cursor, Enter locks it, dragging selects a range`,
} as const

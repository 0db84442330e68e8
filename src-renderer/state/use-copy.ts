import { usePage } from './use-page'

/** Copies a text and says so. @param words what to say: done with the thing's name, and when the clipboard refuses */
export function useCopy(words: { copied(what: string): string; readonly copyFailed: string }) {
  const { toasts } = usePage()
  return (text: string, what: string) => {
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'))
    written.then(
      () => toasts.show('done', words.copied(what)),
      () => toasts.show('failed', words.copyFailed),
    )
  }
}

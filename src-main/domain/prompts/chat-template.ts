/** One message as the model sees it: who speaks, and plain text. */
export interface PromptMessage {
  readonly role: string
  readonly text: string
}

/**
 * The text that a chat becomes before it is cut into tokens, as UTF-8 bytes. Every message starts and ends on a multiple
 * of four bytes, the size of a token (decision D27). So the answer that a replica appends to one turn lies, token for
 * token, where the next turn's prompt repeats it, and the blocks of an answer can be found again.
 * @param preface what stands before the messages, such as the tools; empty for none
 */
export function renderChat(messages: readonly PromptMessage[], preface = ''): Uint8Array<ArrayBuffer> {
  const parts = preface === '' ? [] : [wholeTokens(`<|tools|>\n${preface}`)]
  for (const { role, text } of messages)
    parts.push(wholeTokens(`<|${role}|>\n`), wholeTokens(text), '<|end|>\n')
  parts.push(wholeTokens('<|assistant|>\n'))
  return encoder.encode(parts.join(''))
}

const encoder = new TextEncoder()

/** The text, filled up with line feeds to whole tokens. */
function wholeTokens(text: string): string {
  const odd = utf8Length(text) % 4
  return odd === 0 ? text : text + '\n'.repeat(4 - odd)
}

/** Bytes of a text in UTF-8; a lone surrogate counts as the three bytes of the replacement character it becomes. */
function utf8Length(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 2
    else if (isPair(text, at)) {
      bytes += 2 // four bytes for two units
      at++
    } else bytes += 2
  }
  return bytes
}

function isPair(text: string, at: number): boolean {
  const low = text.charCodeAt(at + 1)
  return text.charCodeAt(at) < 0xdc00 && low >= 0xdc00 && low <= 0xdfff
}

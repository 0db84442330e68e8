import type { ServerResponse } from 'node:http'
import { type Refusal, refusalBody } from './refusal'

/** Sends a short answer whole. */
export function send(
  response: ServerResponse,
  status: number,
  body: string,
  contentType: string | null,
): void {
  response.writeHead(status, {
    ...(contentType !== null && { 'content-type': contentType }),
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

/** Sends a value as JSON. */
export const sendJson = (response: ServerResponse, value: unknown): void =>
  send(response, 200, JSON.stringify(value), 'application/json')

/** Sends a refusal. When the request's body was not read to its end, the connection closes with it. */
export function sendRefusal(response: ServerResponse, why: Refusal): void {
  if (!response.req.complete) response.setHeader('connection', 'close')
  send(response, why.status, refusalBody(why), 'application/json')
}

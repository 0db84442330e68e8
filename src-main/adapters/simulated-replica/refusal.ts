/** An answer that is not what was asked for, as vLLM's API server shapes it. */
export interface Refusal {
  readonly status: number
  readonly type: string
  readonly message: string
  readonly param: string | null
}

/** A request that cannot be understood or met: 400. */
export const badRequest = (message: string, param: string | null = null): Refusal => ({
  status: 400,
  type: 'BadRequestError',
  message,
  param,
})

/** Another status than 400. */
export const refusal = (
  status: number,
  type: string,
  message: string,
  param: string | null = null,
): Refusal => ({
  status,
  type,
  message,
  param,
})

/** The body of a refusal. */
export const refusalBody = ({ status, type, message, param }: Refusal): string =>
  JSON.stringify({ error: { message, type, param, code: status } })

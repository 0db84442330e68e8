import {
  keepPreviousData,
  QueryClient,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query'
import type { Millis } from '../../src-main/base/units'
import type { ParamsOf, ReplyOf } from '../../src-main/contract/peer'
import type { Rpc, RpcName } from '../../src-main/contract/rpc'
import type { CallError } from '../../src-main/contract/wire'
import { usePage } from './use-page'

/** A call that came back with an error, as react-query hands it on. */
export class CallFailed extends Error {
  readonly code: string
  constructor({ code, message }: CallError) {
    super(message)
    this.code = code
  }
}

/** The cache of answers: calls go to the loopback, so whether the machine is online says nothing (ux.md 18). */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        refetchOnWindowFocus: true,
        placeholderData: keepPreviousData,
        retry: (failures, error) =>
          failures < 2 &&
          error instanceof CallFailed &&
          ['disconnected', 'busy', 'timeout'].includes(error.code),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })

/** How a question is kept fresh. */
export interface CallOptions {
  /** Asks again this often; 0 asks once. */
  readonly everyMs?: Millis
  readonly enabled?: boolean
}

/** Asks the server and keeps the answer; errors come back as `CallFailed`. */
export function useCall<Name extends RpcName>(
  name: Name,
  params: ParamsOf<Rpc[Name]>,
  { everyMs = 0, enabled = true }: CallOptions = {},
): UseQueryResult<ReplyOf<Rpc[Name]>, Error> {
  const { call } = usePage()
  return useQuery({
    queryKey: [name, params],
    queryFn: async () => {
      const result = await call(name, params)
      if (!result.ok) throw new CallFailed(result.error)
      return result.value
    },
    enabled,
    refetchInterval: everyMs > 0 ? everyMs : false,
    staleTime: everyMs,
  }) as UseQueryResult<ReplyOf<Rpc[Name]>, Error>
}

/**
 * Changes something, and says what came of it in a toast within a second; the change itself comes back with the feed.
 * @param done what to say when it worked
 */
export function useChange<Name extends RpcName>(
  name: Name,
  done: (reply: ReplyOf<Rpc[Name]>, params: ParamsOf<Rpc[Name]>) => string,
) {
  const { call, toasts } = usePage()
  return useMutation<ReplyOf<Rpc[Name]>, Error, ParamsOf<Rpc[Name]>>({
    mutationFn: async (params) => {
      const result = await call(name, params)
      if (!result.ok) throw new CallFailed(result.error)
      return result.value
    },
    onSuccess: (reply, params) => toasts.show('done', done(reply, params)),
    onError: (error) => toasts.show('failed', error.message),
  })
}

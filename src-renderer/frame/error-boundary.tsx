import { Component, type ErrorInfo, type ReactNode } from 'react'
import { visible } from '../format/visible'
import { Failure } from '../kit/states'
import { words } from '../words/en'

interface Props {
  readonly children: ReactNode
  /** Something new to show: the part is tried again when it changes. */
  readonly token: string
}
interface State {
  readonly failed: { readonly message: string; readonly token: string } | null
}

/** A part that fails to draw says so in its own place; the rest of the page goes on. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failed: null }

  static getDerivedStateFromProps({ token }: Props, { failed }: State): State | null {
    return failed && failed.token !== '' && failed.token !== token ? { failed: null } : null
  }

  override componentDidCatch(error: Error, _info: ErrorInfo): void {
    this.setState({ failed: { message: error.message, token: this.props.token } })
  }

  static getDerivedStateFromError(error: Error): State {
    return { failed: { message: error.message, token: '' } }
  }

  override render(): ReactNode {
    const { failed } = this.state
    if (!failed) return this.props.children
    return (
      <Failure
        what={words.states.partFailed}
        why={visible(failed.message)}
        onRetry={() => this.setState({ failed: null })}
      />
    )
  }
}

import type { TaskState } from "./types.js"

/** What is wrong with one field of a request. */
export interface FieldError {
  path: string
  message: string
}

/** What an error is made of: a problem document of the server (RFC 9457), or what stands for one. */
export interface Problem {
  /** Stable name of the problem. */
  code: string
  /** HTTP status, 0 where there was no answer. */
  status: number
  title?: string
  detail?: string
  hint?: string
  errors?: FieldError[]
  state?: TaskState
  /** The id of the task in the way, of a conflict. */
  existing?: string
  /** Milliseconds after which to come back. */
  retryAfter?: number
  requestId?: string
}

/** An error of a call. Its subclasses are the kinds that callers handle; `code` tells exactly. */
export class OutlastError extends Error {
  override name = "OutlastError"
  readonly code: string
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly hint: string | undefined
  readonly fields: readonly FieldError[]
  readonly state: TaskState | undefined
  readonly existing: string | undefined
  readonly retryAfter: number | undefined
  readonly requestId: string | undefined

  constructor(problem: Problem, options?: ErrorOptions) {
    const detail = problem.detail ?? problem.title ?? problem.code
    const fields = (problem.errors ?? []).filter((field) => !detail.includes(field.message)).map((field) => `${field.path}: ${field.message}`)
    super([detail, ...fields, problem.hint].filter(Boolean).join("; "), options)
    this.code = problem.code
    this.status = problem.status
    this.title = problem.title ?? problem.code
    this.detail = detail
    this.hint = problem.hint
    this.fields = problem.errors ?? []
    this.state = problem.state
    this.existing = problem.existing
    this.retryAfter = problem.retryAfter
    this.requestId = problem.requestId
  }
}

/** The request is wrong, and would be again: `invalid`, `too_large`. */
export class InvalidError extends OutlastError {
  override name = "InvalidError"
}

/** There is no such task, or it was deleted after its retention. */
export class NotFoundError extends OutlastError {
  override name = "NotFoundError"
}

/** The state does not allow it: `conflict`, `id_conflict`, `dedupe_conflict`, `stale_claim`, … */
export class ConflictError extends OutlastError {
  override name = "ConflictError"
}

/** The queue has no place. Nothing was accepted; come back after `retryAfter`. */
export class QueueFullError extends OutlastError {
  override name = "QueueFullError"
}

/** The server could not be asked or cannot answer now. The outcome may be unknown: repeat with the same id. */
export class UnavailableError extends OutlastError {
  override name = "UnavailableError"
}

/** The token is missing, not good, or not for this: `unauthenticated`, `denied`, `rate_limited`. */
export class DeniedError extends OutlastError {
  override name = "DeniedError"
}

const kinds: Record<string, typeof OutlastError> = {
  invalid: InvalidError, too_large: InvalidError, not_found: NotFoundError,
  conflict: ConflictError, managed_by_file: ConflictError, id_conflict: ConflictError, dedupe_conflict: ConflictError,
  stale_claim: ConflictError, no_handler: ConflictError, queue_full: QueueFullError,
  unavailable: UnavailableError, dedupe_busy: UnavailableError, timeout: UnavailableError,
  unauthenticated: DeniedError, denied: DeniedError, rate_limited: DeniedError,
}

/** The error of a problem, of the class that its code has. */
export function errorOf(problem: Problem, options?: ErrorOptions): OutlastError {
  return new (kinds[problem.code] ?? OutlastError)(problem, options)
}

export function invalid(path: string, message: string): InvalidError {
  return new InvalidError({ code: "invalid", status: 400, title: "The request is not valid", detail: `${path} ${message}`, errors: [{ path, message }] })
}

/** The code of an answer that no Outlast server gives: of a proxy, or cut off. */
export const garbled = "unexpected_answer"

/** Whether an error may be gone at the next try. A full queue is for the caller to wait for. */
export function isPassing(error: unknown): error is OutlastError {
  if (!(error instanceof OutlastError) || error instanceof QueueFullError || error instanceof DeniedError) return false
  return [0, 200, 201, 202, 408, 429, 502, 503, 504].includes(error.status) && !isCertificate(error.cause)
}

/** Whether an exchange failed since the certificate of the server is not good: nothing was asked. */
export function isCertificate(error: unknown): boolean {
  return /CERT|SIGNATURE|ERR_TLS/.test((error as NodeJS.ErrnoException | undefined)?.code ?? "")
}

/** Whether the server lets the caller do nothing at all. */
export function isDenied(error: unknown): boolean {
  return error instanceof DeniedError || (error instanceof OutlastError && (error.status === 401 || error.status === 403))
}

/** Whether the server would refuse the same again, or a proxy, to which the body is too long. */
export function isRefused(error: unknown): boolean {
  return error instanceof OutlastError && (error.code === "invalid" || error.code === "too_large" || error.status === 413)
}

/** Whether the server would refuse any such request again. Other answers may come from a proxy. */
export function isFinal(error: OutlastError): boolean {
  return isDenied(error) || (error.status >= 400 && error.status < 500 && error.code !== garbled && !isPassing(error))
}

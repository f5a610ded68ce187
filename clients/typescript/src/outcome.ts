// How an attempt ends, and what the server is told of it.

import type { Duration, Outcome, TaskError } from "./types.js"
import { duration, encode, milliseconds, toWire } from "./wire.js"

/** What a handler throws to say what is to follow. Use its subclasses. */
export abstract class Steering extends Error {
  /** @internal */
  abstract readonly outcome: Outcome
  /** @internal */
  readonly after: Duration | undefined = undefined
}

/** The attempt failed, and the next one starts after `delay` in place of the policy's. The policy still counts the attempts. */
export class RetryAfter extends Steering {
  override name = "RetryAfter"
  override readonly outcome = "failed"
  override readonly after: Duration
  constructor(delay: Duration, message = "try again", options?: ErrorOptions) {
    super(message, options)
    this.after = delay
  }
}

/** The task runs again after `delay`, a second at the least. It is no failure and costs no attempt. */
export class Snooze extends Steering {
  override name = "Snooze"
  override readonly outcome = "snoozed"
  override readonly after: Duration
  constructor(delay: Duration, message = "snoozed") {
    super(message)
    this.after = delay
  }
}

/** The task ends now as a dead letter, whatever attempts are left. */
export class GiveUp extends Steering {
  override name = "GiveUp"
  override readonly outcome = "dead"
}

/** The task ends now as canceled: it is no longer wanted, and nobody needs to look at it. */
export class Cancel extends Steering {
  override name = "Cancel"
  override readonly outcome = "canceled"
}

/** The reasons for which the signal of an attempt is aborted. */
export class CanceledError extends Error {
  override name = "CanceledError"
}
export class LeaseLostError extends Error {
  override name = "LeaseLostError"
}
export class AttemptTimeoutError extends Error {
  override name = "AttemptTimeoutError"
}
export class StoppingError extends Error {
  override name = "StoppingError"
}

/** No signal has come in time. Thrown by the handler it lets the task die, since another attempt would find the same. */
export class SignalTimeoutError extends Error {
  override name = "SignalTimeoutError"
}

/** A mistake in the use of steps. */
export class StepError extends Error {
  override name = "StepError"
}

/** The attempt did its work, and what it gave cannot be kept. Doing it again would change nothing. */
export class BadResultError extends Error {
  override name = "BadResultError"
}

/** How an attempt ended. */
export interface End {
  outcome: Outcome
  error?: TaskError
  retryAfter?: Duration
  /** JSON of the result. */
  result?: string
}

/** Most bytes of the JSON of a result. */
export const mostResult = 64 << 10

/** The JSON of what a handler or a step gave, undefined for nothing. */
export function resultOf(value: unknown, what: string): string | undefined {
  if (value === undefined) return undefined
  let text: string
  try {
    text = encode(value)
  } catch (error) {
    throw new BadResultError(`${what} has no JSON form: ${messageOf(error)}`)
  }
  const size = Buffer.byteLength(text)
  if (size > mostResult) throw new BadResultError(`${what} has ${size} bytes; ${mostResult} are the limit`)
  return text
}

/** What follows of what a handler threw. */
export function endOf(error: unknown, signal: AbortSignal): End {
  try {
    return steered(error, signal.aborted ? signal.reason : undefined)
  } catch (failure) { // an error whose parts throw, a delay that is none
    return badEnd(`how the attempt ended cannot be told: ${messageOf(failure)}`)
  }
}

function steered(error: unknown, reason: unknown): End {
  if (error instanceof Steering) {
    const end: End = { outcome: error.outcome }
    if (error.after !== undefined) end.retryAfter = milliseconds(error.after, "delay") < 0 ? "0s" : duration(error.after)
    if (error.outcome !== "snoozed") end.error = described(error, error.cause)
    return end
  }
  if (reason instanceof StoppingError || reason instanceof LeaseLostError) return { outcome: "released" }
  if (reason instanceof CanceledError) return { outcome: "canceled", error: describe(error) }
  if (reason instanceof AttemptTimeoutError) return { outcome: "failed", error: { ...describe(error), category: "timeout" } }
  return { outcome: "failed", error: describe(error) }
}

/** The end of an attempt whose result cannot be kept. */
export function badEnd(message: string): End {
  return { outcome: "failed", error: { message: plain(message), category: "permanent", type: "BadResultError", code: "bad_result" } }
}

function describe(error: unknown): TaskError {
  if (error instanceof BadResultError) return badEnd(error.message).error!
  if (error instanceof SignalTimeoutError) return { message: plain(error.message), category: "permanent", type: "signal", code: "timeout" }
  if (error instanceof StepError) return { message: plain(error.message), category: "bug", type: "step", code: "invalid" }
  return described(error, error)
}

/** An error with the type of `typed`, by which the server classifies it: that of what caused it, if it has one. */
function described(error: unknown, typed: unknown): TaskError {
  const out: TaskError = { message: messageOf(error) }
  const type = typeOf(typed)
  if (type) out.type = type
  const code = codeOf(typed)
  if (code) out.code = code
  const stack = (error as Error | undefined)?.stack
  if (typeof stack === "string") out.stack = plain(stack).slice(0, 8000)
  return out
}

/** The code of an error or of what caused it: an errno, a SQLSTATE, a status. */
function codeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; typeof at === "object" && at !== null && depth < 8; at = (at as Error).cause, depth++) {
    const code = (at as { code?: unknown }).code
    if (typeof code === "string" || typeof code === "number") return plain(String(code)).slice(0, 64)
  }
  return undefined
}

/** What the server knows errors by: the name of a system error, else the class. */
function typeOf(error: unknown): string | undefined {
  const code = codeOf(error)
  if (code && /^(E[A-Z0-9]+|ERR_\w+|UND_ERR_\w+)$/.test(code)) return code
  if (typeof error !== "object" || error === null) return undefined
  const { name } = error as Error
  const of = error.constructor?.name
  return plain(typeof name === "string" && name && name !== "Error" ? name : of || "Error").slice(0, 128)
}

function messageOf(error: unknown): string {
  try {
    const cause = error instanceof Error && error.cause instanceof Error && error.cause.message ? `: ${error.cause.message}` : ""
    return plain(((error as Error | undefined)?.message || String(error)) + cause).slice(0, 16_000)
  } catch {
    return "an error that cannot be printed"
  }
}

/** The server takes neither NUL nor halves of surrogate pairs. */
function plain(text: string): string {
  return String(text).replace(/\0|\p{Surrogate}/gu, "\ufffd")
}

/** The end of an attempt, as the server is told. */
export function settlement(id: string, claim: number, end: End): string {
  const { result, ...rest } = end
  const fields = toWire({ id, claim, ...rest })
  return result === undefined ? fields : `${fields.slice(0, -1)},"result":${result}}`
}

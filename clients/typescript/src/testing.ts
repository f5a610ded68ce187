// For tests of handlers and receivers, without a server.

import { attempt, type Handler, type Logger } from "./attempt.js"
import { newId } from "./id.js"
import type { End } from "./outcome.js"
import type { KeptStep } from "./steps.js"
import type { LeasedTask, Outcome, Step, TaskError } from "./types.js"
import { encode, milliseconds } from "./wire.js"

export interface AttemptOptions {
  /** Fields of the task: attempt, key, metadata, … */
  task?: Partial<LeasedTask>
  /** What earlier attempts did: the steps of their verdicts. */
  steps?: readonly Step[]
  /** Signals that have come, by name. */
  signals?: Record<string, unknown>
  /** Aborts the attempt. */
  signal?: AbortSignal
  /** The time for waits, which stands still. */
  now?: Date
  logger?: Logger
}

/** How an attempt ended. */
export interface Verdict<Result = unknown> {
  /** `failed`: the policy decides whether it is retried. */
  outcome: Outcome
  result?: Result
  error?: TaskError
  /** Milliseconds, of a retry or a snooze that names them. */
  retryAfter?: number
  /** What is done of the task: give it to the next attempt. */
  steps: Step[]
  /** The last progress. */
  progress?: unknown
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** Runs a handler for one attempt, and says how it ended. Payload and result go through JSON as they do on the way. */
export async function runAttempt<Payload, Result>(handler: Handler<Payload, Result>, payload: Payload, options: AttemptOptions = {}): Promise<Verdict<Result>> {
  const now = options.now ?? new Date()
  const signals = Object.entries(options.signals ?? {}).map(([name, result]): Step => ({ name, occurrence: 0, type: "signal", result }))
  const steps = [...(options.steps ?? [])]
  const task: LeasedTask = {
    id: newId(), type: "test", queue: "default", state: "running", priority: 5, maxAttempts: 0, attempt: 1, crashes: 0, claim: 1,
    createdAt: now, runAt: now, startedAt: now, ...options.task, payload: JSON.parse(encode(payload)) as unknown, steps: [...steps, ...signals],
  }
  const verdict: Partial<Verdict<Result>> = {}
  const end: End = await attempt(handler, task, {
    signal: options.signal ?? new AbortController().signal, deadline: undefined, clock: () => now.getTime(), logger: options.logger ?? silent,
    async keep(step: KeptStep) {
      const { result, ...rest } = step
      steps.push({ ...rest, attempt: task.attempt, ...(result === undefined ? {} : { result: JSON.parse(result) as unknown }) })
    },
    progress(text) {
      verdict.progress = JSON.parse(text) as unknown
    },
  })
  if (end.result !== undefined) verdict.result = JSON.parse(end.result) as Result
  if (end.error) verdict.error = end.error
  if (end.retryAfter !== undefined) verdict.retryAfter = milliseconds(end.retryAfter)
  return { ...verdict, outcome: end.outcome, steps }
}

export { sign as signWebhook } from "./webhook.js"

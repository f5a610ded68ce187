// One attempt of a task, wherever it runs.

import { invalid } from "./errors.js"
import { endOf, resultOf, type End } from "./outcome.js"
import { StepLog, type Keep, type StepContext } from "./steps.js"
import type { Duration, LeasedTask } from "./types.js"
import { encode } from "./wire.js"

/** Where messages go; `console` is one. */
export interface Logger {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}

/** What a handler knows of its attempt. */
export interface Context {
  readonly task: LeasedTask
  /** The id of the task, the same in all attempts: a key by which what is called knows a repeat. */
  readonly id: string
  /** Which attempt this is, from 1. */
  readonly attempt: number
  /** When the attempt ends, by the clock of this machine. */
  readonly deadline: Date | undefined
  /** Aborted when the task is canceled, its time is over, its lease is lost, or the worker has to stop. */
  readonly signal: AbortSignal
  readonly logger: Logger
  /** Shows how far the attempt is: JSON of at most 4 KiB. */
  progress(value: unknown): void
  /** Does a part of the work once: its result is on disk, and a later attempt gets it without another call of `fn`. */
  step<T>(name: string, fn: (step: StepContext) => T | Promise<T>): Promise<T>
  /** Lets the task wait without a slot: throws a `Snooze`, and resolves in the attempt after the end. */
  sleep(name: string, delay: Duration): Promise<void>
  /**
   * The payload of a signal. As long as there is none it throws a `Snooze`: the task looks for it each `every` (15 s),
   * since signals wake handlers in Go alone. After `timeout` it throws a `SignalTimeoutError`.
   */
  awaitSignal<T>(name: string, options: { timeout: Duration; every?: Duration }): Promise<T>
}

/**
 * Runs one attempt. What it returns is kept as the result: JSON of at most 64 KiB. What it throws is a failure, which
 * the policy of the task retries; `RetryAfter`, `Snooze`, `GiveUp` and `Cancel` steer.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- a map of handlers has payloads of many types
export type Handler<Payload = any, Result = unknown> = (payload: Payload, context: Context) => Result | Promise<Result>

/** What an attempt needs of who runs it. */
export interface Host {
  signal: AbortSignal
  deadline: Date | undefined
  /** Tells the time by the clock of the server. */
  clock: () => number
  logger: Logger
  keep: Keep
  progress(text: string): void
}

const mostProgress = 4 << 10

/** Runs one attempt and says how it ended. */
export async function attempt(handler: Handler, task: LeasedTask, host: Host): Promise<End> {
  const steps = new StepLog(task.steps ?? [], host.clock, host.keep, host.signal)
  const logger = withFields(host.logger, { task: task.id, type: task.type, attempt: task.attempt })
  const context: Context = {
    task, id: task.id, attempt: task.attempt, deadline: host.deadline, signal: host.signal, logger,
    progress(value) {
      const text = encode(value)
      if (Buffer.byteLength(text) > mostProgress) throw invalid("progress", `has more than ${mostProgress} bytes of JSON`)
      host.progress(text)
    },
    step: (name, fn) => steps.step(name, fn),
    sleep: (name, delay) => steps.sleep(name, delay),
    awaitSignal: (name, { timeout, every = 15_000 }) => steps.awaitSignal(name, timeout, every),
  }
  const payload: unknown = task.payloadBase64 === undefined ? task.payload : Buffer.from(task.payloadBase64, "base64")
  let end: End
  try {
    const result = resultOf(await handler(payload, context), "the result")
    end = result === undefined ? { outcome: "succeeded" } : { outcome: "succeeded", result }
  } catch (error) {
    end = endOf(error, host.signal)
  }
  await steps.close()
  return end
}

function withFields(logger: Logger, fields: object): Logger {
  const on = (level: keyof Logger) => (message: string, more?: object) => logger[level](message, { ...fields, ...more })
  return { debug: on("debug"), info: on("info"), warn: on("warn"), error: on("error") }
}

// What is done of a task, and what its attempt does.

import { BadResultError, resultOf, SignalTimeoutError, Snooze, StepError } from "./outcome.js"
import type { Duration, Step } from "./types.js"
import { milliseconds } from "./wire.js"

/** A step as it is to be kept. */
export interface KeptStep {
  name: string
  occurrence: number
  /** JSON, undefined for none. */
  result: string | undefined
  startedAt: Date
  compensation?: { type: string; payload?: unknown }
}

/** Keeps a step on disk. It fails with `LeaseLostError`, or says why the step is not kept. */
export type Keep = (step: KeptStep) => Promise<void>

/** What the function of a step can do. */
export interface StepContext {
  /** Names the task that undoes the step if its own task dies. */
  compensate(type: string, payload?: unknown): void
}

const leastSnooze = 1000
const mostSleep = 10 * 365 * 24 * 3_600_000

export class StepLog {
  readonly #done = new Map<string, Step>()
  readonly #signals = new Map<string, Step>()
  readonly #asked = new Map<string, number>()
  readonly #runs = new Set<string>()
  readonly #writes = new Set<Promise<void>>()
  #closed = false

  /** `clock` tells the time by the clock of the server, in milliseconds: workers of one task may be on several machines. */
  constructor(steps: readonly Step[], private readonly clock: () => number, private readonly keep: Keep, private readonly signal: AbortSignal) {
    for (const step of steps) {
      if (step.occurrence === 0) this.#signals.set(step.name, step)
      else this.#done.set(`${step.occurrence} ${step.name}`, step)
    }
  }

  /** Does a part of the work once: a later attempt gets what it gave. */
  async step<T>(name: string, fn: (step: StepContext) => T | Promise<T>): Promise<T> {
    if (typeof name !== "string" || name === "" || [...name].length > 128) throw new StepError("the name of a step has 1 to 128 characters")
    if (this.#closed) throw new StepError(`step "${name}" comes after the end of its attempt; await all steps before the handler returns`)
    if (this.#runs.has(name)) throw new StepError(`step "${name}" runs already; give steps that run side by side names of their own`)
    const occurrence = (this.#asked.get(name) ?? 0) + 1
    const before = this.#done.get(`${occurrence} ${name}`)
    if (before) {
      this.#asked.set(name, occurrence)
      return before.result as T
    }
    this.signal.throwIfAborted()
    this.#runs.add(name)
    try {
      const startedAt = new Date()
      let compensation: KeptStep["compensation"]
      const value = await fn({
        compensate(type, payload) {
          if (compensation) throw new StepError(`step "${name}" has a compensation already`)
          compensation = payload === undefined ? { type } : { type, payload: JSON.parse(resultOf(payload, "the payload of the compensation")!) as unknown }
        },
      })
      const result = resultOf(value, `the result of step "${name}"`)
      if (this.#closed) throw new StepError(`step "${name}" ended after its attempt; await all steps before the handler returns`)
      await this.#write({ name, occurrence, result, startedAt, ...(compensation ? { compensation } : {}) })
      this.#asked.set(name, occurrence)
      return (result === undefined ? undefined : JSON.parse(result)) as T // as later attempts get it
    } finally {
      this.#runs.delete(name)
    }
  }

  async #write(step: KeptStep): Promise<void> {
    const write = this.keep(step)
    this.#writes.add(write)
    try {
      await write
    } finally {
      this.#writes.delete(write)
    }
  }

  /** Lets the task wait without a slot. Its name is one of the steps' names. */
  async sleep(name: string, delay: Duration): Promise<void> {
    const left = await this.#left(name, delay)
    if (left >= leastSnooze) throw new Snooze(left, `sleeps: ${name}`)
    if (left > 0) await pause(left, this.signal)
  }

  /** The payload of a signal; the task looks for it each `every`. */
  async awaitSignal<T>(name: string, timeout: Duration, every: Duration): Promise<T> {
    const come = this.#signals.get(name)
    if (come?.type === "signal") return come.result as T
    if (come) throw new SignalTimeoutError(`no signal "${name}" came in time`)
    const left = await this.#left(name, timeout)
    if (left <= 0) throw new SignalTimeoutError(`no signal "${name}" came in time`)
    throw new Snooze(Math.max(leastSnooze, Math.min(left, milliseconds(every, "every"))), `waits for signal "${name}"`)
  }

  /** Milliseconds until a wait ends, which is kept by its first call. */
  async #left(name: string, delay: Duration): Promise<number> {
    const length = milliseconds(delay, "delay")
    if (!(length <= mostSleep)) throw new StepError(`"${name}" waits for more than ten years`)
    const { until } = await this.step(name, () => ({ until: new Date(this.clock() + Math.max(0, length)).toISOString() }))
    const end = Date.parse(until)
    if (Number.isNaN(end)) throw new StepError(`"${name}" is a step that is no wait; give it another name`)
    return end - this.clock()
  }

  /** Refuses further steps, and waits for those that are being written. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#writes)
  }
}

/** What a refused step is to its handler. */
export function refusal(name: string, code: string | undefined, message: string): Error {
  return code === "too_large" ? new BadResultError(message) : new StepError(`step "${name}" is not kept: ${message}`)
}

/** Resolves after a time, rejects with the reason of an abort. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    const abort = () => (clearTimeout(timer), reject(signal.reason as Error))
    const timer = setTimeout(() => (signal.removeEventListener("abort", abort), resolve()), Math.min(ms, 2 ** 31 - 1))
    signal.addEventListener("abort", abort, { once: true })
  })
}


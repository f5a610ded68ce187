import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { attempt, type Handler, type Logger } from "./attempt.js"
import type { Client } from "./client.js"
import { invalid, isDenied, isFinal, isRefused, OutlastError } from "./errors.js"
import { Holding, Leases } from "./leases.js"
import { AttemptTimeoutError, endOf, GiveUp, LeaseLostError, StoppingError, type End } from "./outcome.js"
import { Settler } from "./settler.js"
import { pause, refusal, type KeptStep } from "./steps.js"
import { now, pauseAfter } from "./transport.js"
import type { Duration, LeasedTask } from "./types.js"
import { keyOf, milliseconds, Raw } from "./wire.js"

export interface WorkerOptions {
  /** Default: `["default"]`. */
  queues?: string[]
  /** Attempts at once, 10 when absent. */
  concurrency?: number
  /** How long a task is this worker's without an extension, 1 s to 1 h; 30 s when absent. */
  lease?: Duration
  /** For running attempts when the worker stops, 25 s when absent. Then their signals are aborted. */
  grace?: Duration
  /** For handlers to come back once they were told to; 3 s when absent. Then their tasks are handed back. */
  cleanup?: Duration
  /** Name of the process, unlike that of any other; made up when absent. */
  name?: string
  /** Release of the program; else `OUTLAST_RELEASE`. */
  release?: string
  /** Default: warnings and errors go to the console. */
  logger?: Logger
}

const longestPoll = 30_000

const toConsole: Logger = { debug() {}, info() {}, warn: (...text) => console.warn(...text), error: (...text) => console.error(...text) }

/** Runs tasks of a server, with a handler for each type. */
export class Worker {
  readonly name: string
  readonly #handlers: ReadonlyMap<string, Handler>
  readonly #concurrency: number
  readonly #lease: number
  readonly #logger: Logger
  readonly #release: string | undefined
  readonly #stop = new AbortController() // no further poll
  readonly #failed = new AbortController() // the worker is broken; the reason says why
  readonly #held = new Map<string, Holding>()
  #leases!: Leases
  #settler!: Settler
  #changed = () => {} // when a slot is free, or the worker is to stop
  #started = false

  constructor(private readonly client: Client, handlers: Record<string, Handler>, private readonly options: WorkerOptions = {}) {
    this.#handlers = new Map(Object.entries(handlers))
    if (this.#handlers.size === 0) throw invalid("handlers", "are none; give one for each type of task")
    this.#concurrency = options.concurrency ?? 10
    if (!Number.isInteger(this.#concurrency) || this.#concurrency < 1) throw invalid("concurrency", "is no whole number from 1")
    this.#lease = milliseconds(options.lease ?? 30_000, "lease")
    if (this.#lease < 1000 || this.#lease > 3_600_000) throw invalid("lease", "is outside 1s to 1h")
    this.#logger = options.logger ?? toConsole
    this.#release = options.release ?? (process.env["OUTLAST_RELEASE"] || undefined)
    this.name = options.name ?? `node-${hostname().replace(/[^A-Za-z0-9._-]/g, "-").slice(0, 60)}-${process.pid}-${randomBytes(4).toString("hex")}`
  }

  /**
   * Works until `stop` is called. Then it fetches no more, gives running attempts their grace time, hands the rest back,
   * and resolves. It rejects when it cannot go on: its token is not good, or a part of it died. Let the process end then:
   * what the server could not be told of runs again when its lease has ended.
   */
  async run(options: { stopOn?: NodeJS.Signals[] } = {}): Promise<void> {
    if (this.#started) throw new Error("a worker runs once; make another one")
    this.#started = true
    const stop = () => this.stop()
    for (const name of options.stopOn ?? []) process.once(name, stop) // the next one ends the process
    const fail = (error: unknown) => this.#fail(error)
    const warn = (message: string, fields: object) => this.#logger.warn(message, fields)
    this.#leases = new Leases(this.client.address, this.#lease, warn, fail)
    this.#settler = new Settler(this.client, this.#logger, fail)
    try {
      await this.#work()
      this.#failed.signal.throwIfAborted()
    } finally {
      for (const name of options.stopOn ?? []) process.off(name, stop)
      await this.#leases.end()
    }
  }

  /** Lets the worker fetch no more, and `run` resolve once what it has is done. */
  stop(): void {
    this.#stop.abort()
    this.#changed()
  }

  #fail(error: unknown): void {
    if (this.#failed.signal.aborted) return
    this.#failed.abort(error)
    this.stop()
    this.#tellToStop()
  }

  async #work(): Promise<void> {
    try {
      await this.#poll()
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(error)
    }
    const grace = milliseconds(this.options.grace ?? 25_000, "grace")
    const cancelGrace = after(grace, () => this.#tellToStop())
    while (this.#held.size > 0) await new Promise<void>((resolve) => (this.#changed = resolve))
    cancelGrace()
  }

  /** Aborts the signals of what runs, and hands back what does not heed that. */
  #tellToStop(): void {
    for (const holding of this.#held.values()) holding.aborter.abort(new StoppingError("the worker is stopping"))
    setTimeout(() => {
      for (const holding of this.#held.values()) holding.abandon()
    }, milliseconds(this.options.cleanup ?? 3000, "cleanup")).unref()
  }

  async #poll(): Promise<void> {
    const wait = Math.min(longestPoll, this.#lease / 3) // of its lease a task has two thirds left at least
    const types = [...this.#handlers.keys()]
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      const free = Math.min(1000, this.#concurrency - this.#held.size)
      if (free <= 0) {
        await new Promise<void>((resolve) => (this.#changed = resolve))
        continue
      }
      const asked = now()
      try {
        const poll = { worker: this.name, queues: this.options.queues ?? ["default"], types, max: free, wait, lease: this.#lease }
        const tasks = await this.client.poll(this.#release === undefined ? poll : { ...poll, release: this.#release }, { hangUp: this.#stop.signal })
        failures = 0
        for (const task of tasks) this.#take(task, asked)
      } catch (error) {
        if (!(error instanceof OutlastError) || isFinal(error)) throw error
        if (this.#stop.signal.aborted) return
        this.#logger.warn("poll.failed", { error: error.message })
        await pause(pauseAfter(Math.min(++failures, 10), error, 60_000), this.#stop.signal)
      }
    }
  }

  #take(task: LeasedTask, asked: number): void {
    if (typeof task?.id !== "string" || !Number.isSafeInteger(task.claim)) {
      this.#logger.error("poll.garbled", { task: String(task?.id) })
      return
    }
    if (this.#held.has(keyOf(task))) {
      this.#logger.error("poll.repeated", { task: task.id, claim: task.claim })
      return
    }
    const holding = new Holding(task, asked, now(), this.#lease)
    this.#held.set(keyOf(task), holding)
    this.#leases.hold(holding)
    void this.#attempt(holding).catch((error: unknown) => this.#fail(error))
  }

  async #attempt(holding: Holding): Promise<void> {
    const { task } = holding
    const { signal } = holding.aborter
    let gone = false // the server has said so: before the lease is over nobody else does
    signal.addEventListener("abort", () => (gone = signal.reason instanceof LeaseLostError && now() < holding.sure))
    let end: End | undefined
    if (this.#stop.signal.aborted || now() >= holding.sure) end = { outcome: "released" } // it came while the poll ended, or too late
    else end = await Promise.race([this.#run(holding), new Promise<undefined>((resolve) => (holding.abandon = () => resolve(undefined)))])
    if (end === undefined) {
      this.#logger.error("attempt.abandoned", { task: task.id, type: task.type })
      end = { outcome: "released" }
    }
    if (gone) this.#logger.warn("settle.dropped", { task: task.id, outcome: end.outcome })
    else await this.#settler.settle(holding, end)
    this.#leases.drop(holding)
    this.#held.delete(keyOf(task))
    this.#changed()
  }

  async #run(holding: Holding): Promise<End> {
    const { task, aborter } = holding
    const handler = this.#handlers.get(task.type)
    if (!handler) return endOf(new GiveUp(`this worker has no handler for the type ${JSON.stringify(task.type)}`), aborter.signal)
    const began = now()
    const started = (task.startedAt ?? new Date()).getTime()
    const left = endsIn(task, this.#lease)
    const stopTimer = left === undefined ? () => {} : after(left, () => aborter.abort(new AttemptTimeoutError("the time of the attempt is over")))
    try {
      return await attempt(handler, task, {
        signal: aborter.signal, logger: this.#logger, clock: () => started + now() - began,
        deadline: left === undefined ? undefined : new Date(Date.now() + left - (now() - began)),
        keep: (step) => this.#keep(holding, step),
        progress: (text) => this.#leases.show(holding, text),
      })
    } finally {
      stopTimer()
    }
  }

  /** Keeps a step, again and again until that is known or the lease is over: what was done has to be on disk. */
  async #keep(holding: Holding, step: KeptStep): Promise<void> {
    const { id, claim } = holding.task
    const { result, ...rest } = step
    const item = { id, claim, ...rest, ...(result === undefined ? {} : { result: new Raw(result) }) }
    for (let failures = 0; ; ) {
      try {
        const [answer] = await this.client.steps([item])
        if (answer!.status === "ok") return
        if (answer!.status === "error") throw refusal(step.name, answer!.error?.code, answer!.error?.detail ?? "the server does not say why")
        const lost = new LeaseLostError(`the task is not this worker's any more: ${answer!.status}`)
        holding.aborter.abort(lost)
        throw lost
      } catch (error) {
        if (!(error instanceof OutlastError)) throw error
        if (isDenied(error)) this.#fail(error)
        if (isRefused(error)) throw refusal(step.name, error.status === 413 ? "too_large" : error.code, error.message)
        if (now() >= holding.lost || this.#failed.signal.aborted) throw new LeaseLostError("the step could not be kept in time", { cause: error })
        this.#logger.warn("steps.failed", { task: id, step: step.name, error: error.message })
        await pause(pauseAfter(Math.min(++failures, 10), error, this.#lease / 3), this.#failed.signal)
      }
    }
  }
}

/** Milliseconds until the end of the attempt, by the difference of two times of the server: nobody's clock is compared with another's. */
function endsIn(task: LeasedTask, lease: number): number | undefined {
  const given = task.leaseUntil ? task.leaseUntil.getTime() - lease : task.startedAt?.getTime()
  const left = Number(task.attemptEnds) - Number(given)
  return Number.isFinite(left) ? left : undefined
}

/** Calls a function after a time; what it returns prevents that. */
function after(ms: number, fn: () => void): () => void {
  const timer = setTimeout(fn, Math.min(Math.max(0, ms), 2 ** 31 - 1))
  return () => clearTimeout(timer)
}

import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { errorOf, invalid, type OutlastError } from "./errors.js"
import { newId } from "./id.js"
import { now, problemFrom, Transport, type Address, type Answer, type Call, type GivenProblem } from "./transport.js"
import type {
  Attempt, DoneStep, Draft, Duration, Enqueued, ExtendItem, ExtendResult, LeasedTask, Poll, SettleResult, Signaled, Step, Task, TaskGroup,
  TaskGroupDraft, TaskResult,
} from "./types.js"
import { duration, milliseconds, Raw, textOf, toWire } from "./wire.js"

export interface ClientOptions {
  /** URL of the server; else `OUTLAST_SERVER`, else http://127.0.0.1:7070. */
  server?: string
  /** The token; else what `tokenFile` holds, else the file in `OUTLAST_TOKEN_FILE`, else `OUTLAST_TOKEN`. */
  token?: string
  tokenFile?: string
  /** Certificate authorities of the server in PEM, in place of the system's; else the file `caFile`, else that in `OUTLAST_CA_FILE`. */
  ca?: string
  caFile?: string
  /** For a call with all its tries; 30 s when absent. What a call waits for comes on top. */
  timeout?: Duration
  /** For one try; 10 s when absent. */
  tryTimeout?: Duration
  /** Names the caller. */
  userAgent?: string
}

export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal
  timeout?: Duration
}

/** What became of one task of a batch. */
export type BatchResult = { ok: true; id: string; existing: boolean } | { ok: false; error: OutlastError }

const longestWait = 30_000 // in one request, which proxies let live

/** Calls one server. Calls that are safe to repeat are repeated when their answer was lost. */
export class Client {
  readonly #transport: Transport
  readonly #timeout: number
  readonly #tryTimeout: number

  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(addressOf(options))
    this.#timeout = milliseconds(options.timeout ?? 30_000, "timeout")
    this.#tryTimeout = milliseconds(options.tryTimeout ?? 10_000, "tryTimeout")
  }

  /** Where the server is, and the token. @internal */
  get address(): Address {
    return this.#transport.address
  }

  /** Closes idle connections. */
  close(): void {
    this.#transport.close()
  }

  /**
   * Hands a task in: when it is answered, the task is on disk. A draft without an id gets one, so that a repeat after
   * a lost answer makes no second task. With `wait` it waits for the end of the task, and gives it as it then stands.
   */
  async enqueue<Result = unknown>(draft: Draft, options: CallOptions & { wait?: Duration } = {}): Promise<Enqueued<Result>> {
    const body = toWire({ ...draft, id: draft.id ?? newId() })
    const wait = milliseconds(options.wait ?? 0, "wait")
    const end = now() + wait
    for (;;) {
      const left = Math.min(longestWait, Math.max(0, end - now()))
      const path = left > 0 ? `/v1/tasks?wait=${duration(left)}` : "/v1/tasks"
      const { status, body: task } = await this.#call("POST", path, body, options, {}, left)
      if (wait === 0) return { ...(task as Task<Result>), existing: status === 200 }
      if (left === 0 || isEnded(task as Task)) return task as Task<Result>
    }
  }

  /** Hands up to 1000 tasks in, each with its own verdict, in the same order; with `atomic` all or none. */
  async batch(drafts: readonly Draft[], options: CallOptions & { atomic?: boolean } = {}): Promise<BatchResult[]> {
    const tasks = drafts.map((draft) => toWire({ ...draft, id: draft.id ?? newId() }))
    const body = toWire({ tasks: new Raw(`[${tasks.join()}]`), atomic: options.atomic })
    const results = await this.#list<{ status: number; id: string; error?: GivenProblem }>("/v1/tasks/batch", body, options, { name: "results", length: drafts.length })
    return results.map((one) => one.error ? { ok: false, error: errorOf(problemFrom(one.error)) } : { ok: true, id: one.id, existing: one.status === 200 })
  }

  /** A task, whatever its state. */
  async get<Result = unknown>(id: string, options: CallOptions = {}): Promise<Task<Result>> {
    return (await this.#call("GET", taskPath(id), undefined, options)).body as Task<Result>
  }

  /** What was done of a task: its attempts, oldest first, and its steps. */
  async attempts(id: string, options: CallOptions = {}): Promise<{ attempts: Attempt[]; steps?: Step[] }> {
    return (await this.#call("GET", `${taskPath(id)}/attempts`, undefined, options)).body as { attempts: Attempt[]; steps?: Step[] }
  }

  /**
   * Waits for the end of a task, at most for `timeout`, 10 minutes when absent, and gives it as it then stands. It looks
   * again and again, at least once a second; `enqueue` with `wait` is told at once.
   */
  async wait<Result = unknown>(id: string, options: CallOptions = {}): Promise<Task<Result>> {
    const { timeout = 600_000, ...rest } = options
    const end = now() + milliseconds(timeout, "timeout")
    for (let pause = 20; ; pause = Math.min(1.5 * pause, 1000)) {
      const task = await this.get<Result>(id, rest)
      const left = end - now()
      if (isEnded(task) || left <= 0) return task
      await sleep(Math.min(pause, left), undefined, { signal: options.signal })
    }
  }

  /** Cancels a pending task, or asks a running one to stop. With `compensate` what its steps did is undone. */
  async cancel(id: string, options: CallOptions & { compensate?: boolean } = {}): Promise<Task> {
    const body = options.compensate ? '{"compensate":true}' : undefined
    return (await this.#call("POST", `${taskPath(id)}/cancel`, body, options, { once: body === undefined })).body as Task
  }

  /** Gives a task the signal of a name. The first one stands: another payload is a `ConflictError`. */
  async signal(id: string, name: string, payload?: unknown, options: CallOptions = {}): Promise<Signaled> {
    const body = payload === undefined ? undefined : textOf(payload, "payload")
    return (await this.#call("POST", `${taskPath(id)}/signals/${encodeURIComponent(name)}`, body, options)).body as Signaled
  }

  /** Groups of tasks: one callback when the last member has ended. */
  readonly taskGroups = {
    /** Makes a group, which is open. One without an id gets one, so that a repeat makes no second group. */
    create: async (draft: TaskGroupDraft, options: CallOptions = {}): Promise<TaskGroup> =>
      (await this.#call("POST", "/v1/task-groups", toWire({ ...draft, id: draft.id ?? newId() }), options)).body as TaskGroup,
    /** The group, with its members by outcome. */
    get: async (id: string, options: CallOptions = {}): Promise<TaskGroup> =>
      (await this.#call("GET", `/v1/task-groups/${encodeURIComponent(id)}`, undefined, options)).body as TaskGroup,
    /** Says that no more members come. A repeat does nothing. */
    close: async (id: string, options: CallOptions = {}): Promise<TaskGroup> =>
      (await this.#call("POST", `/v1/task-groups/${encodeURIComponent(id)}/close`, undefined, options)).body as TaskGroup,
  }

  /**
   * Waits for tasks to run. A lost answer is not asked for again: its tasks come back when their lease has ended. When
   * `hangUp` is aborted the server answers at once, and tasks that were on their way still come.
   */
  async poll(poll: Poll, options: CallOptions & { hangUp?: AbortSignal } = {}): Promise<LeasedTask[]> {
    const { hangUp } = options
    const wait = milliseconds(poll.wait ?? 0, "wait")
    return this.#list("/v1/workers/poll", toWire(poll), options, { name: "tasks" }, { once: true, ...(hangUp ? { hangUp } : {}) }, wait)
  }

  /** Moves the ends of leases to `lease` from now, one answer per item. */
  async extend(items: readonly ExtendItem[], lease: Duration, options: CallOptions = {}): Promise<ExtendResult[]> {
    const body = toWire({ items: new Raw(`[${items.map(toWire).join()}]`), lease })
    return this.#list("/v1/workers/extend", body, options, { name: "results", length: items.length })
  }

  /** Keeps steps that are done, one answer per step. Call it before the end of the attempt is told. */
  async steps(items: readonly DoneStep[], options: CallOptions = {}): Promise<{ status: "ok" | "stale_claim" | "not_found" | "error"; error?: GivenProblem }[]> {
    const body = toWire({ items: new Raw(`[${items.map(toWire).join()}]`) })
    return this.#list("/v1/workers/steps", body, options, { name: "results", length: items.length })
  }

  /** Says how attempts ended, one answer per result. */
  async settle(results: readonly TaskResult[], options: CallOptions = {}): Promise<SettleResult[]> {
    return this.settleRaw(results.map(toWire), options)
  }

  /** As `settle`, of results that are JSON already. @internal */
  async settleRaw(results: readonly string[], options: CallOptions = {}): Promise<SettleResult[]> {
    return this.#list("/v1/workers/settle", `{"results":[${results.join()}]}`, options, { name: "results", length: results.length })
  }

  async #list<T>(path: string, body: string, options: CallOptions, list: NonNullable<Call["list"]>, more: Partial<Call> = {}, wait = 0): Promise<T[]> {
    const answer = await this.#call("POST", path, body, options, { list, ...more }, wait)
    return (answer.body as Record<string, T[]>)[list.name]!
  }

  #call(method: Call["method"], path: string, body: string | undefined, options: CallOptions, more: Partial<Call> = {}, wait = 0): Promise<Answer> {
    const timeout = options.timeout === undefined ? this.#timeout : milliseconds(options.timeout, "timeout")
    return this.#transport.call({
      method, path, timeout: timeout + wait, tryTimeout: Math.min(timeout, this.#tryTimeout) + wait, signal: options.signal,
      ...(body === undefined ? {} : { body }), ...more,
    })
  }
}

/** Whether a task has ended. */
export function isEnded(task: Task): boolean {
  return task.state === "succeeded" || task.state === "dead" || task.state === "canceled"
}

function taskPath(id: string): string {
  if (!id) throw invalid("id", "is empty")
  return `/v1/tasks/${encodeURIComponent(id)}`
}

function addressOf(options: ClientOptions): Address {
  const { OUTLAST_SERVER, OUTLAST_TOKEN, OUTLAST_TOKEN_FILE, OUTLAST_CA_FILE } = process.env
  const tokenFile = options.tokenFile ?? (OUTLAST_TOKEN_FILE || undefined)
  const caFile = options.caFile ?? (OUTLAST_CA_FILE || undefined)
  const token = (options.token ?? (tokenFile ? read("tokenFile", tokenFile) : OUTLAST_TOKEN ?? "")).trim()
  const ca = options.ca ?? (caFile ? read("caFile", caFile) : undefined)
  if (ca !== undefined && !ca.includes("-----BEGIN CERTIFICATE-----")) throw invalid("ca", "holds no certificate in PEM")
  return {
    server: options.server ?? (OUTLAST_SERVER || "http://127.0.0.1:7070"), userAgent: options.userAgent ?? "outlast-node",
    ...(token ? { token } : {}), ...(ca === undefined ? {} : { ca }),
  }
}

function read(option: string, file: string): string {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    throw invalid(option, `cannot be read: ${(error as Error).message}`)
  }
  if (!text.trim()) throw invalid(option, `${file} is empty`)
  return text
}

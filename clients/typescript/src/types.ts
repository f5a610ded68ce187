/** Milliseconds, or a text with a unit such as `"1.5s"`, `"200ms"`, `"2h45m"`. */
export type Duration = number | string

/** A point in time: a `Date`, or RFC 3339 with a zone. */
export type Time = Date | string

export type TaskState = "pending" | "running" | "succeeded" | "dead" | "canceled"

/** An object in the form of docs/reference/policies.md, sent as it stands. */
export type Document = Record<string, unknown>

/** The HTTP request that a task makes. */
export interface Target {
  /** http or https. Required without `group`. */
  url?: string
  /** A worker group instead of a URL. */
  group?: string
  /** With `group`: the path at the member, such as /send. */
  path?: string
  method?: string
  headers?: Record<string, string>
  /** A condition in CEL that alone decides whether an answer is a success. */
  success?: string
}

/** A task that is enqueued when another one ends. It has the payload of that one unless it has its own. */
export interface Follow {
  type?: string
  queue?: string
  policy?: string
  payload?: unknown
  target?: Target
}

/** A task as it is handed in. `type` or `target` is required. */
export interface Draft {
  /** UUID of version 7, made by the client when absent; see `newId`. */
  id?: string
  type?: string
  /** Any JSON, at most 1 MiB. */
  payload?: unknown
  queue?: string
  /** Wait before the first attempt. Not together with `runAt`. */
  delay?: Duration
  runAt?: Time
  /** 0 (lowest) to 9; 5 when absent. */
  priority?: number
  /** Ordering key: tasks of one key run one at a time, in the order in which they were enqueued. */
  key?: string
  /** Whose the task is, such as a customer: a backlog of one delays no other. */
  shareKey?: string
  /** Same key and same content: the same task. Other content: a `ConflictError`. */
  dedupeKey?: string
  dedupeWindow?: Duration
  /** Name of a retry policy. */
  policy?: string
  /** A policy of its own, in place of the named one. */
  retry?: Document
  maxAttempts?: number
  /** Limit of each attempt. */
  timeout?: Duration
  /** For all attempts together. Not together with `ttl`. */
  deadline?: Time
  ttl?: Duration
  metadata?: Record<string, string>
  target?: Target
  fallback?: Follow
  onSuccess?: Follow
  onDead?: Follow
  alert?: Document
  /** W3C trace context. */
  traceParent?: string
  /** Id of the group of tasks that this one is a member of. */
  group?: string
}

/** What is kept of the error of an attempt. */
export interface Failure {
  category: string
  type?: string
  code?: string
  effect?: string
  message: string
  fingerprint: string
  at?: Date
  delay?: string
}

/** A part of a task that is done. */
export interface Step {
  name: string
  /** From 1; 0 for a signal. */
  occurrence: number
  attempt?: number
  startedAt?: Date
  endedAt?: Date
  result?: unknown
  type?: string
  until?: Date
  compensation?: { type: string; payload?: unknown }
  undone?: boolean
  unreadable?: string
}

/** A task as it stands. */
export interface Task<Result = unknown> {
  id: string
  type: string
  queue: string
  state: TaskState
  payload?: unknown
  /** A payload that is no JSON. */
  payloadBase64?: string
  priority: number
  runAt: Date
  key?: string
  shareKey?: string
  dedupeKey?: string
  dedupeWindow?: string
  policy?: string
  policyVersion?: number
  retry?: Document
  /** 0 for unlimited. */
  maxAttempts: number
  timeout?: string
  deadline?: Date
  metadata?: Record<string, string>
  target?: Target
  fallback?: Follow
  onSuccess?: Follow
  onDead?: Follow
  alert?: Document
  traceParent?: string
  group?: string
  /** Attempts started and spent. */
  attempt: number
  crashes: number
  /** Grows with every run. */
  claim: number
  node?: string
  worker?: string
  leaseUntil?: Date
  startedAt?: Date
  cancelRequested?: boolean
  dispatch?: { failures: number; lastError: string; nextAt?: Date }
  /** Why a pending task is not running. */
  waiting?: string
  nextCheck?: Date
  missingKey?: string
  createdAt: Date
  updatedAt?: Date
  finishedAt?: Date
  lastError?: Failure
  lastFailedAt?: Date
  deadReason?: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected"
  progress?: unknown
  result?: Result
  fallbackTask?: string
  fallbackState?: string
  fallbackError?: string
  callbackTask?: string
  callbackState?: string
  callbackError?: string
  parent?: string
  follows?: "fallback" | "on_success" | "on_dead" | "compensation" | "group"
  steps?: Step[]
  compensationTask?: string
  compensationState?: string
}

/** A task that was enqueued. */
export interface Enqueued<Result = unknown> extends Task<Result> {
  /** It was there already, by its id or dedupe key. A call that waits does not tell. */
  existing?: boolean
}

/** One recorded execution of a task. */
export interface Attempt {
  number: number
  claim: number
  node?: string
  worker?: string
  startedAt?: Date
  endedAt?: Date
  outcome: "succeeded" | "failed" | "snoozed" | "released" | "dead" | "canceled" | "crashed"
  category?: string
  error?: string
  type?: string
  code?: string
  effect?: string
  fingerprint?: string
  nextDelay?: string
  policy?: string
  policyVersion?: number
  release?: string
}

/** What became of a signal. */
export interface Signaled {
  id: string
  name: string
  at: Date
  /** It was there before, with the same payload. */
  repeated?: boolean
  state: TaskState
  /** The task waited for it, and is due now. */
  woken?: boolean
}

/** A group of tasks as it is handed in. */
export interface TaskGroupDraft {
  id?: string
  label?: string
  /** Enqueued once, when the group is closed and all members have ended. */
  callback: Follow
}

export interface TaskGroup {
  id: string
  label?: string
  state: "open" | "closed" | "done"
  callback: Follow
  members: number
  succeeded: number
  dead: number
  canceled: number
  createdAt: Date
  closedAt?: Date
  doneAt?: Date
  callbackTask?: string
}

/** What a worker asks for. */
export interface Poll {
  worker: string
  release?: string
  queues?: string[]
  types?: string[]
  max?: number
  wait?: Duration
  lease?: Duration
}

/** A task that is leased to a worker. */
export interface LeasedTask extends Task {
  /** When the timeout of the attempt or the deadline of the task ends it, by the clock of the server. */
  attemptEnds?: Date
}

export interface ExtendItem {
  id: string
  claim: number
  progress?: unknown
}

export interface ExtendResult {
  id: string
  status: "ok" | "canceled" | "stale_claim" | "not_found"
  leaseUntil?: Date
}

export interface TaskError {
  message: string
  category?: string
  type?: string
  code?: string
  stack?: string
}

export type Outcome = "succeeded" | "failed" | "snoozed" | "released" | "dead" | "canceled"

/** How one attempt ended. */
export interface TaskResult {
  id: string
  claim: number
  outcome: Outcome
  error?: TaskError
  retryAfter?: Duration
  result?: unknown
}

export interface SettleResult {
  id: string
  status: "ok" | "stale_claim" | "not_found"
  state?: TaskState
}

/** A step that a worker has done. */
export interface DoneStep {
  id: string
  claim: number
  name: string
  occurrence?: number
  result?: unknown
  type?: string
  startedAt?: Time
  compensation?: { type: string; payload?: unknown }
}

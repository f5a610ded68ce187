export type { Context, Handler, Logger } from "./attempt.js"
export { Client, isEnded, type BatchResult, type CallOptions, type ClientOptions } from "./client.js"
export {
  ConflictError, DeniedError, InvalidError, NotFoundError, OutlastError, QueueFullError, UnavailableError, type FieldError, type Problem,
} from "./errors.js"
export { newId } from "./id.js"
export {
  AttemptTimeoutError, BadResultError, Cancel, CanceledError, GiveUp, LeaseLostError, RetryAfter, SignalTimeoutError, Snooze, StepError,
  StoppingError,
} from "./outcome.js"
export { enqueueIn, type Queryable, type SqlOptions } from "./sql.js"
export type { StepContext } from "./steps.js"
export type * from "./types.js"
export { Webhook, WebhookError, type Delivery, type HeaderSource, type WebhookOptions } from "./webhook.js"
export { Worker, type WorkerOptions } from "./worker.js"

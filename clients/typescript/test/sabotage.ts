// Loaded into every thread of a program: that of leases dies of its first order.

import { MessagePort, isMainThread } from "node:worker_threads"

if (!isMainThread) {
  const on = MessagePort.prototype.on
  MessagePort.prototype.on = function (this: MessagePort, name: string, ...rest: unknown[]) {
    if (name !== "message") return (on as (...args: unknown[]) => MessagePort).call(this, name, ...rest)
    return (on as (...args: unknown[]) => MessagePort).call(this, name, () => {
      throw new Error("sabotage")
    })
  } as typeof on
}

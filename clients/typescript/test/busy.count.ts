// Tells a busy thread how often its lease was extended.

import { workerData } from "node:worker_threads"

const { url, extensions } = workerData as { url: string; extensions: Int32Array }
for (;;) {
  const count = (await (await fetch(`${url}/extensions`)).json()) as number
  if (Atomics.exchange(extensions, 0, count) !== count) Atomics.notify(extensions, 0)
  await new Promise((resolve) => setTimeout(resolve, 10))
}

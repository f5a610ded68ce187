// A server in a process of its own: it gives one task, and counts its extensions.

import { allOk, FakeServer, leased } from "./fake.js"

const fake = await FakeServer.start()
let extensions = 0
const settled: unknown[] = []
let given = false
fake.always.set("/v1/workers/poll", (got) => {
  got.json(200, { tasks: given ? [] : [leased()] })
  given = true
})
fake.always.set("/v1/workers/extend", (got) => (extensions++, allOk(got)))
fake.always.set("/v1/workers/settle", (got) => (settled.push(...got.body.results), allOk(got)))
fake.always.set("/extensions", (got) => got.json(200, extensions))
fake.always.set("/settled", (got) => got.json(200, settled))
process.send!(fake.url)

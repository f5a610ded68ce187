export interface paths {
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process is alive
         * @description Nothing else is looked at.
         */
        get: operations["get-livez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics in the text format of Prometheus
         * @description Of the node that answers.
         */
        get: operations["get-metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi-3.0.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document for older programs
         * @description In OpenAPI 3.0, for generators that do not read 3.1.
         */
        get: operations["get-openapi-3"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description In OpenAPI 3.1.
         */
        get: operations["get-openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the server can accept and run tasks
         * @description 503 while it cannot. With verbose, the answer lists the checks.
         */
        get: operations["get-readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alert channels
         * @description With whether the node that is asked can send to each.
         */
        get: operations["list-alert-channels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/channels/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an alert channel
         * @description With whether the node that is asked can send to it.
         */
        get: operations["get-alert-channel"];
        /**
         * Create or replace an alert channel
         * @description Secrets are not part of it: it names environment variables of the servers that hold them.
         */
        put: operations["put-alert-channel"];
        post?: never;
        /**
         * Delete an alert channel that nothing names
         * @description One that the configuration file owns is refused.
         */
        delete: operations["delete-alert-channel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/channels/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message and wait until it is accepted
         * @description Each call sends one. With dry_run the channel is tried without a message.
         */
        post: operations["test-alert-channel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages sent to alert channels, newest first: the delivery log
         * @description Messages are kept as long as ended tasks; undelivered ones are kept as long as dead letters.
         */
        get: operations["list-alert-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/events/{id}/ack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge a message: somebody takes care of it
         * @description While the condition lasts, no more messages are sent for the rule and subject; its end is still told. A repeat changes nothing.
         */
        post: operations["ack-alert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alert rules, including the built-in ones
         * @description With the variables that their conditions can use.
         */
        get: operations["list-alert-rules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/rules/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an alert rule
         * @description With whether it holds on the node that is asked.
         */
        get: operations["get-alert-rule"];
        /**
         * Create or replace an alert rule, including a built-in one
         * @description Conditions are in CEL, of at most 2 KiB, without comprehensions. Their variables, and for which `on` each is set:
         *
         *     - `event` (string): what has happened: retry or dead. `task`
         *     - `type` (string): the task's type. `dead`, `retry`, `crash`, `type`, `change`
         *     - `queue` (string): the queue. `dead`, `retry`, `crash`, `queue`, `blocked`
         *     - `target` (string): what the task calls: the host, or the type. `dead`, `retry`, `breaker`, `target`
         *     - `key` (string): the ordering key; of `key`: the name of the encryption key, empty where tasks are damaged or in the clear. `dead`, `retry`, `blocked`, `key`
         *     - `policy` (string): the policy that the task names. `dead`, `retry`
         *     - `attempt` (int): the attempt that has ended, from 1; of a change: its number, 5 for all from the fifth on. `dead`, `retry`, `crash`, `change`
         *     - `max_attempts` (int): the limit that holds, 0 for none. `dead`, `retry`
         *     - `crashes` (int): processes that the task has seen die. `dead`, `crash`
         *     - `age` (duration): the time since the task was accepted. `dead`, `retry`
         *     - `delay` (duration): the wait until the next attempt. `retry`
         *     - `reason` (string): why it died: exhausted, permanent, expired, crash_loop, no_handler, rejected. `dead`
         *     - `category` (string): the category of the failure. `dead`, `retry`, `category`
         *     - `code` (string): HTTP status, SQLSTATE or errno of the failure, such as EMFILE. `dead`, `retry`, `resources`
         *     - `status` (int): the code as a number, 0 if it is none. `dead`, `retry`
         *     - `error_type` (string): the class of the error. `dead`, `retry`
         *     - `message` (string): the text of the failure. `dead`, `retry`
         *     - `fingerprint` (string): the group of the failure. `dead`, `retry`
         *     - `metadata` (map): the task's metadata, text by name. `dead`, `retry`
         *     - `follows` (string): as what the task follows another: fallback, on_success, on_dead, or empty. `dead`, `retry`
         *     - `parent` (string): the id of that task. `dead`, `retry`
         *     - `state` (string): the new state: of a breaker (open, half_open, ramping, closed), of an operation (done, failed, canceled). `breaker`, `redrive`
         *     - `was` (string): the breaker's state before. `breaker`
         *     - `cause` (string): why it changed, or why the node is gone. `breaker`, `crash`, `process`
         *     - `node` (string): the node that died, through which the worker had its tasks, or which lacks resources. `process`, `resources`
         *     - `worker` (string): the remote worker that let its leases end, empty for a node. `process`
         *     - `tasks` (int): tasks that ran in it, as one node took them over. `process`
         *     - `calls` (int): calls that the node could not make since it told of that last, ten seconds before at the least. `resources`
         *     - `matched` (int): letters that the redrive found. `redrive`
         *     - `done` (int): letters that it has handled. `redrive`
         *     - `schedule` (string): the name of the schedule. `schedule`
         *     - `missed` (int): ticks that were missed. `schedule`
         *     - `total` (int): dead letters. `letters`
         *     - `by_type` (map): dead letters by type. `letters`
         *     - `by_reason` (map): dead letters by reason. `letters`
         *     - `by_category` (map): dead letters by category. `letters`
         *     - `backlog` (int): pending tasks but for parked ones, counted to 10 000. `queue`
         *     - `oldest_due` (duration): how long the oldest task has been due. `queue`
         *     - `stranded` (int): types of tasks that wait in it and no living node can start. `queue`
         *     - `owned` (bool): some node works on the queue. `queue`
         *     - `paused` (bool): the queue is paused. `queue`
         *     - `mode` (string): how the key is held: block or park. `blocked`
         *     - `letter` (string): the id of the dead letter that blocks the key. `blocked`
         *     - `held` (duration): how long the key has been blocked. `blocked`
         *     - `living` (int): members of the group that beat. `group`
         *     - `waiting` (int): tasks that wait for the group, for the encryption key, or behind the ordering key (counted to 1000). `group`, `blocked`, `key`
         *     - `failing` (duration): how long dispatches to the group have failed without a success. `group`
         *     - `group` (string): the worker group. `group`
         *     - `attempts` (int): attempts that ended in the last minute. `target`, `type`, `category`
         *     - `failures` (int): those of them that failed. `target`, `type`, `category`
         *     - `retries` (int): those of them that were no first attempts. `target`, `type`
         *     - `rate` (double): attempts per second in the last minute. `target`, `type`, `category`
         *     - `failure_share` (double): failures / attempts, 0 to 1. `target`, `type`, `category`
         *     - `retry_share` (double): retries / attempts, 0 to 1. `target`, `type`
         *     - `retry_growth` (double): retries of the last minute / those of a minute in the five before it; at least one is taken to have been there. `target`, `type`
         *     - `p99` (duration): 99 of 100 attempts of the last minute took no longer; of a change: of those after it. `target`, `type`, `change`
         *     - `p99_growth` (double): p99 of the last minute / that of the five before it, 1 if nothing is known; of a change: p99 / p99_before. `target`, `type`, `change`
         *     - `p99_before` (duration): 99 of 100 attempts before the change took no longer. `change`
         *     - `samples` (int): attempts before or after the change, of the side that has fewer. `change`
         *     - `by` (string): what has changed: release or policy_version. `change`
         *     - `from` (string): the release or policy version before, such as 1.4 or payment@3. `change`
         *     - `to` (string): the one after, in force for a day at most. `change`
         */
        put: operations["put-alert-rule"];
        post?: never;
        /**
         * Delete an alert rule; a built-in rule of that name applies again
         * @description One that the configuration file owns is refused.
         */
        delete: operations["delete-alert-rule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/silences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List silences, the latest end first
         * @description Those that have ended are shown for 30 days.
         */
        get: operations["list-alert-silences"];
        put?: never;
        /**
         * Silence matching messages for a while
         * @description A message must match all patterns that are given; * matches any text. Silenced messages stay in the list of messages. Tests of a channel are always sent.
         */
        post: operations["add-alert-silence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/silences/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview which messages a silence would have kept back
         * @description Looks at the messages of the last day. Only the patterns count; nothing is changed.
         */
        post: operations["preview-alert-silence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts/silences/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a silence now
         * @description One that has ended stays as it is.
         */
        delete: operations["end-alert-silence"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log, newest first: who did what to what
         * @description Every action that changed something has one row, written in the same transaction.
         */
        get: operations["list-audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find dead letters, newest first
         * @description A page may be short or empty and still have a cursor, as those of GET /v1/tasks.
         */
        get: operations["list-dead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export dead letters with their attempts and steps, one JSON object per line
         * @description Line ends between the tokens of a payload become spaces; nothing else of it changes. An answer that is cut off is not complete.
         */
        get: operations["export-dead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Group dead letters by the fingerprint of their last error, largest group first
         * @description With a filter, and for trends, the newest 4 000 letters are looked at, 1 000 with a type or a fingerprint; for a token for certain queues, 4 000 of each of them.
         */
        get: operations["group-dead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead/groups/{fingerprint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a group of dead letters: when, why and where they died, and the error of the example
         * @description The newest 1 000 letters of the group are looked at; for a token for certain queues, those of the group among the newest 4 000 of each of them.
         */
        get: operations["get-dead-group"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete dead letters forever, by ids or by filter
         * @description An empty filter object means every letter; no filter at all is refused. A filter means letters that are dead when the purge begins: with the died_before of the dry run, those that were counted.
         */
        post: operations["purge-dead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redrive dead letters, by ids or by filter
         * @description A redrive by filter, and one with rate, canary or stop_if_failing, is an operation that survives a restart; follow it under /v1/operations. A dry run only counts, shows the first ones, and warns of what speaks against the redrive. A filter means letters that are dead when the redrive begins: with the died_before of the dry run, those that were counted.
         */
        post: operations["redrive-dead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count dead letters
         * @description By type, by reason and by the category of the last error.
         */
        get: operations["count-dead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a dead letter with all its attempts and steps
         * @description A task that is no dead letter is not found here: GET /v1/tasks/{id} shows it.
         */
        get: operations["get-dead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream changes as they happen (server-sent events)
         * @description Each message is named hello, tasks, stats, changed or resync, and its data is the field of that name below. Changes of tasks are those of the node that answers; stats and changed are of all nodes. At most 200 streams a node, and 20 a token; a token that expires or is revoked ends its streams within 10 seconds.
         */
        get: operations["watch-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List worker groups
         * @description As the node that answers sees them.
         */
        get: operations["list-groups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/groups/{group}/workers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Join a worker group, or send a heartbeat
         * @description Repeat this at least three times within ttl, on any node.
         */
        put: operations["put-member"];
        post?: never;
        /**
         * Leave a worker group
         * @description For a member that stops. One that only falls silent is a member until its ttl is over.
         */
        delete: operations["remove-member"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List ordering keys that are blocked by dead letters, with the tasks that wait
         * @description They go on when the dead letter is redriven or purged, or the key is released.
         */
        get: operations["list-keys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lanes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List lanes by number, with their owners
         * @description A lane is a slice of a queue. The node that owns it orders and starts its tasks.
         */
        get: operations["list-lanes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List nodes, living ones first
         * @description What the rows of the nodes say, about a second old. Nodes that left or died are shown for an hour.
         */
        get: operations["list-nodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/wake": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Internal: rows of lanes changed
         * @description What nodes tell each other on stores without notifications. Permission: the wake key of this node, which only those know who can read the database. Its one effect is that the node looks at the lanes.
         */
        post: operations["wake-node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operations, newest first
         * @description Also those that have ended.
         */
        get: operations["list-operations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an operation and its progress
         * @description GET /v1/operations/{id}/items tells what has become of each letter or task.
         */
        get: operations["get-operation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an operation, without undoing what is done
         * @description It ends after the batch that is under way.
         */
        post: operations["cancel-operation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{id}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the letters or tasks of an operation in order, with the outcome of each
         * @description Kept as long as dead letters are, from the end of the operation. What was done at once, such as a redrive by ids without rate, canary and stop_if_failing, is no operation and has no report. A part that is damaged is a conflict, one that is missing is not found.
         */
        get: operations["list-operation-items"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause an operation
         * @description It stops after the batch that is under way.
         */
        post: operations["pause-operation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused operation
         * @description It goes on where it stopped.
         */
        post: operations["resume-operation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List policies by name, presets included
         * @description A policy with the name of a preset replaces it.
         */
        get: operations["list-policies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a policy: delays, success, load and warnings
         * @description The body holds the keys of a policy, or preset, together with what it is planned for; without any it plans the default policy. With solve it finds the largest first interval, multiplier or number of retries that keeps the limit. Nothing is stored.
         */
        post: operations["plan-policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a policy, with the queues and types that name it
         * @description canary tells of a version that is tried on a share of the tasks.
         */
        get: operations["get-policy"];
        /**
         * Create a policy (201), or change one (200)
         * @description The body replaces the whole policy. It applies on all nodes within about a second: to attempts that start, and to the retries of attempts that fail. If the content is the same, nothing changes. With canary, the new version applies to that share of the tasks, and the version before to the rest. warnings names probable mistakes; dry_run shows them beforehand.
         */
        put: operations["put-policy"];
        post?: never;
        /**
         * Delete a policy but keep its versions
         * @description Tasks that name it then use the preset of that name if there is one, otherwise the policy of their type, their queue or the default.
         */
        delete: operations["delete-policy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{name}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the trial and return to the version before
         * @description This ends a canary and makes a new version.
         */
        post: operations["abort-policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{name}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Promote the version on trial to all tasks
         * @description This ends a canary and makes a new version.
         */
        post: operations["promote-policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a policy, newest first
         * @description The last 100 versions, also of a deleted policy.
         */
        get: operations["list-policy-versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List queues by name, with counts and delays
         * @description Over all nodes. Counts go no further than 10 000 each.
         */
        get: operations["list-queues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a queue, with counts and delays
         * @description Over all nodes. Counts go no further than 10 000 each.
         */
        get: operations["get-queue"];
        /**
         * Create a queue (201), or change one (200)
         * @description Absent fields keep their value, or have the default in a new queue.
         */
        put: operations["put-queue"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a queue: none of its tasks start
         * @description Attempts that run go on, and enqueues are taken.
         */
        post: operations["pause-queue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}/release-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release an ordering key: the tasks behind its dead letter run, and the letter is kept
         * @description To redrive or purge the dead letter does so too.
         */
        post: operations["release-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a paused queue
         * @description What is due starts again.
         */
        post: operations["resume-queue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/queues/{name}/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the share keys of a queue, largest backlog first
         * @description Covers what the node that answers has in memory, for its own lanes. Share keys take turns, so one with a backlog does not delay the others.
         */
        get: operations["list-queue-shares"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List schedules by name
         * @description With the next tick of each, and what has become of the ones before.
         */
        get: operations["list-schedules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the next ticks that a rule would have
         * @description The rule is checked as if it were put, but not stored.
         */
        post: operations["plan-ticks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a schedule
         * @description With its next tick, and what has become of the ones before.
         */
        get: operations["get-schedule"];
        /**
         * Create a schedule (201), or change one (200)
         * @description The body is the whole rule: what is absent takes its default. Its ticks are those after this call; a tick of the rule before that is due already stays. Pause, counters and last task are kept.
         */
        put: operations["put-schedule"];
        post?: never;
        /**
         * Delete a schedule but keep the tasks that it has enqueued
         * @description The answer is the schedule as it was.
         */
        delete: operations["delete-schedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the next ticks of a schedule
         * @description For a paused schedule, those that it would have if resumed.
         */
        get: operations["next-ticks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a schedule
         * @description Its tasks that are enqueued already stay.
         */
        post: operations["pause-schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a schedule; ticks during the pause are skipped
         * @description The answer names the next tick.
         */
        post: operations["resume-schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enqueue the task of a schedule now (201)
         * @description Also while it is paused, and whatever its overlap rule says. With the id of a task that was triggered before it answers with that (200).
         */
        post: operations["trigger-schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the permissions of the caller, and the node that answers
         * @description For programs that offer only what their token may do.
         */
        get: operations["get-self"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sim/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate a storm with several policies, and show what each does over time
         * @description As outlast sim compare. One run at a time on a node, for 5 s at most.
         */
        post: operations["compare-policies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sim/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Simulate a scenario, with the clients of Outlast or with a policy instead
         * @description The report is that of outlast sim run, with what each variant did over time. One run at a time on a node, for 5 s at most: longer ones are for the command line.
         */
        post: operations["run-scenario"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sim/scenarios": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the scenarios of the storm simulator
         * @description Each is a storm, the clients that go through it, and the numbers that they must reach.
         */
        get: operations["list-scenarios"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sim/whatif": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay recorded tasks under other policies, in virtual time
         * @description Tasks that were created in a time, the newest first, with their recorded attempts: as they went, as they would go under the policies of now, and under others. The limits say what that cannot know. One run of the simulator at a time on a node; reading takes 5 s at most and so does playing.
         */
        post: operations["replay-history"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current state: tasks by queue, dead letters and the load of the nodes
         * @description Over all nodes, but for what is in memory: that is of the node that answers.
         */
        get: operations["get-stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare attempts of two releases or two policy versions
         * @description By type and number of the attempt: how many there were, how long they ran, how late they started. Over all nodes, those of others until half a minute ago. A type without the sides asked for is left out.
         */
        get: operations["compare-stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the history: ended tasks, attempts, retry rate, durations and backlog
         * @description Over all nodes, kept by the minute for two days; a node tells within ten seconds after the minute. Steps below a minute are what the node that answers remembers of the last hour. Where nobody counted, a point has no nodes and null for everything.
         */
        get: operations["get-series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List targets, those with problems first
         * @description What the living nodes know. Healthy targets are those of the node that is asked; the others tell only of those that something is wrong with.
         */
        get: operations["list-targets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/targets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a target: breaker, budget, limits and waiting tasks
         * @description What each living node knows of it, and all together.
         */
        get: operations["get-target"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/targets/{name}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Allow calls of a target again
         * @description Ends an outage, or an order to open. Calls begin slowly and become ever more. Every node obeys within about a second, and the order outlives restarts.
         */
        post: operations["close-target"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/targets/{name}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the history of a target's breaker and budget, newest first
         * @description The last 500 changes on all nodes, of the 500 targets that changed last, for 30 days. A node writes them about two seconds after they happened; what a budget comes to is looked at every ten seconds.
         */
        get: operations["get-target-history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/targets/{name}/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop all calls of a target
         * @description Nothing calls the target until it is closed or reset; tasks wait and spend no attempts. Attempts under way go on. It may be one that nobody has called yet; the answer names no nodes then, and a misspelt name stops nothing. Every node obeys within about a second, and the order outlives restarts.
         */
        post: operations["open-target"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/targets/{name}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forget what was learned about a target
         * @description Breaker, budget, limit and the history of its outages begin anew; an order to open ends. Every node obeys within about a second, and the order outlives restarts.
         */
        post: operations["reset-target"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/task-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups of tasks, newest first
         * @description A page may be short or empty and still have a cursor.
         */
        get: operations["list-task-groups"];
        put?: never;
        /**
         * Create a group of tasks with one callback
         * @description 201 with the new group, which is open; 200 with the group that was there, for a repeated id of the same label and callback. Enqueue its members with their field group, then close it: the callback is enqueued once when all of them have ended. Without a payload of its own the callback gets {group, label, members, succeeded, dead, canceled, created_at, closed_at}.
         */
        post: operations["create-task-group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/task-groups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a group of tasks with its members by outcome
         * @description state says whether it takes members, waits for them, or has enqueued its callback.
         */
        get: operations["get-task-group"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/task-groups/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a group of tasks to new members
         * @description Where all members have ended, or there are none, the callback is enqueued. A group that is closed already is no error.
         */
        post: operations["close-task-group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find tasks, newest first
         * @description With state=failed, failed_since or failed_until, the newest failure comes first. A page may be short or empty and still have a cursor: filters without an index read a bounded number of rows per call, and a page ends with the task that makes it 8 MiB.
         */
        get: operations["list-tasks"];
        put?: never;
        /**
         * Enqueue a task
         * @description 201 with the new task, which is on disk; 200 with the task that was there, for a repeated id or dedupe key of the same content. With wait: 200 with the finished task, or 202 with the task as it stands when the time is over.
         */
        post: operations["enqueue-task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enqueue up to 1000 tasks
         * @description With atomic all or none: one bad task refuses the batch. Otherwise each has its own result, in the same order.
         */
        post: operations["enqueue-batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel, retry or reschedule many tasks, by ids or by filter
         * @description 200 with what has become of each of up to 100 ids, and for a dry run, which only counts and shows a sample. 202 for more ids and for a filter: an operation that survives a restart; follow it under /v1/operations. It does to each task what the call for one does; tasks whose state does not fit are left alone and reported.
         */
        post: operations["bulk-tasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/run_due": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Work what is due once
         * @description For who brings a timer of his own. It answers when what was due as the call began has come to an end, or when nothing of it moves for a second; a server works such tasks by itself too, and then only the counts tell more. What a target, a paused queue or an ordering key holds back is left. One such call at a time works on a node.
         */
        post: operations["run-due-tasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/upcoming": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tasks that wait for a retry, the soonest first
         * @description By the time of the next attempt, or when the target that holds a task back is asked again; behind them tasks that wait for something else, such as one of a paused queue. However much waits, a bounded part of it is looked at: complete says whether that was enough.
         */
        get: operations["list-upcoming"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a task in any state
         * @description With why it waits, what follows it, and the steps that are done of it. With wait: 200 when it has ended, or 202 as it stands when the time is over.
         */
        get: operations["get-task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the attempts and steps of a task, oldest first
         * @description An attempt that cost nothing repeats its number. Steps have the signals and waits too.
         */
        get: operations["list-attempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a pending task, or ask a running one to stop
         * @description What the steps of the task have done stays done, unless compensate is given: then compensation_task undoes it once the task is canceled, whatever becomes of this node. It is an own task of the engine, and waits while the queue outlast.alerts is paused. POST /v1/tasks/bulk cancels without compensation.
         */
        post: operations["cancel-task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/reschedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move the next attempt of a pending task
         * @description Either run_at or delay is required.
         */
        post: operations["reschedule-task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the next attempt now
         * @description A dead letter has no next attempt: redrive it with POST /v1/dead/redrive.
         */
        post: operations["retry-task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{id}/signals/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a signal to a task that waits or will wait for it
         * @description The body is the payload, any JSON of at most 64 KiB, or nothing. The first signal of a name stands: a repeat with the same payload is answered with repeated, whatever became of the task, and another payload is a conflict. So is a signal for a task that has ended, or that has waited for it in vain.
         */
        post: operations["signal-task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens by name
         * @description Also those that expired or were revoked within the last 90 days.
         */
        get: operations["list-tokens"];
        put?: never;
        /**
         * Create a token; its secret is shown only once
         * @description From then on every request needs a token, also requests from the same machine. The roles are viewer, operator, admin, enqueuer and worker; x-permission names the permission that each call needs.
         */
        post: operations["create-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token for good
         * @description No node accepts it after 2 seconds.
         */
        delete: operations["revoke-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List remote workers by name, and what nobody can run
         * @description The workers that living nodes know: those that polled or extended a lease within the last minute, or have leases. The node that answers knows its own as they are; what others know is up to ten seconds old.
         */
        get: operations["list-workers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers/extend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extend leases and report progress
         * @description Any node can be told. The answers say which tasks are to be stopped.
         */
        post: operations["extend-tasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Wait for tasks to run
         * @description Answers as soon as there is a task, or with none when the time has passed. The tasks of all nodes come, whichever is asked. They are leased to the worker: on disk, and not to be lost with this node.
         */
        post: operations["poll-tasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the outcome of attempts
         * @description Any node can be told. When the answer comes, it is on disk. A repeat of the recorded outcome for the same claim answers ok.
         */
        post: operations["settle-tasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workers/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Save completed steps, so that later attempts skip them
         * @description Any node can be told. When the answer comes, they are on disk. A repeat under the same claim answers ok. Polls hand out with a task the steps that are not to be done again. Tell the end of an attempt only after the answers for its steps: what is told later is not undone if the task dies.
         */
        post: operations["add-steps"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "01990a2e-4b7c-7d10-9c55-6f0e8a13a2b1",
         *           "claim": 3,
         *           "name": "charge the card",
         *           "result": {
         *             "charge": "ch_81"
         *           },
         *           "compensation": {
         *             "type": "refund",
         *             "payload": {
         *               "charge": "ch_81"
         *             }
         *           }
         *         }
         *       ]
         *     }
         */
        AddSteps: {
            /** @description 1 to 1000 steps. */
            items: components["schemas"]["DoneStep"][];
        };
        AddedSteps: {
            /** @description One result per step, in the same order. */
            results: components["schemas"]["StepResult"][];
        };
        AlertAbout: {
            /**
             * @description What it is: a task, dead letters or tasks of a type, a target, a queue, the blocked keys of a queue, a schedule, a redrive, or the nodes. New ones may come.
             * @enum {string}
             */
            kind: "task" | "letters" | "tasks" | "target" | "queue" | "keys" | "schedule" | "redrive" | "nodes";
            /** @description Its name or id: of letters and tasks the type, of keys the queue; absent where it is all of the kind. */
            name?: string;
            /** @description Where the console shows it: its address behind #/. */
            place: string;
        };
        AlertChannel: {
            /** @description Who made this version; absent of a channel that nobody put. */
            actor?: string;
            /** @description The specification. Secrets are not in it: it names environment variables. */
            channel: unknown;
            /**
             * @description What it sends to; func is a Go function of an application.
             * @enum {string}
             */
            kind: "dingtalk" | "email" | "feishu" | "slack" | "wecom" | "alertmanager" | "pagerduty" | "teams" | "telegram" | "webhook" | "log" | "func";
            /** @description file: the configuration file owns it; option: a Go function of an application. */
            managed?: string;
            /** @description Name of the channel. */
            name: string;
            /** @description Why it cannot, or why its last message was not delivered. */
            problem?: string;
            /**
             * Format: date-time
             * @description When this version was made; absent of a channel that nobody put.
             */
            updated_at?: string;
            /** @description The node that was asked can send to it. */
            usable: boolean;
            /**
             * Format: int64
             * @description Raised by every change; absent of a channel that nobody put.
             */
            version?: number;
        };
        AlertChannels: {
            /** @description All channels, by name. */
            channels: components["schemas"]["AlertChannel"][];
        };
        AlertEvent: {
            /** @description What it is about, the closest first. */
            about?: components["schemas"]["AlertAbout"][];
            /**
             * Format: date-time
             * @description When it was acknowledged; absent if it was not.
             */
            acked_at?: string;
            /** @description Who has acknowledged it. */
            acked_by?: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            at: string;
            /**
             * Format: int64
             * @description How often it was tried.
             */
            attempts: number;
            /** @description Name of the channel. */
            channel: string;
            /**
             * Format: date-time
             * @description When it was sent or given up; absent before.
             */
            ended_at?: string;
            /** @description Why the last attempt failed; absent if none did. */
            error?: string;
            /** @description Details, each with a name. */
            fields?: components["schemas"]["AlertField"][];
            /**
             * Format: int64
             * @description Alerts that were held back and are told with this message.
             */
            held_back?: number;
            /** @description What was held back, by what it has in common, such as the target, the code and the fingerprint of the failures. */
            held_back_kinds?: components["schemas"]["AlertTally"][];
            /** @description The first of the alerts that were held back. */
            held_back_names?: string[];
            /** @description Of the task that delivers it; its attempts are the delivery log. */
            id: string;
            /** @description The channel that could not deliver it. */
            instead?: string;
            /**
             * @description raised: something is wrong. held: alerts that were held back are told. recovered: it is over. test: somebody tries the channel.
             * @enum {string}
             */
            kind: "raised" | "held" | "recovered" | "test";
            /**
             * Format: date-time
             * @description The next attempt; absent if there is none.
             */
            next_at?: string;
            /** @description Name of the rule. */
            rule: string;
            /**
             * @description How bad it is.
             * @enum {string}
             */
            severity: "info" | "warning" | "critical";
            /** @description The silence that has kept it back. */
            silence?: string;
            /**
             * @description pending: it will be sent. sent: it was taken. silenced: a silence has kept it back. collected: another message tells it. failed: it could not be delivered. canceled: somebody canceled its task.
             * @enum {string}
             */
            state: "pending" | "sent" | "silenced" | "collected" | "failed" | "canceled";
            /** @description What it is about, such as a type, a queue or a target. */
            subject: string;
            /** @description One sentence that says what happened. */
            text: string;
            /** @description One line that says what happened. */
            title: string;
        };
        AlertEvents: {
            /** @description The messages of the page. */
            events: components["schemas"]["AlertEvent"][];
            /** @description Give it back as cursor for the next page; empty on the last one. */
            next_cursor: string;
        };
        AlertField: {
            /** @description What it is, in a word or two. */
            name: string;
            /** @description Its value, as a text. */
            value: string;
        };
        AlertRule: {
            /** @description Who made this version; absent of a built-in rule. */
            actor?: string;
            /** @description It holds without configuration; a rule of its name replaces it. */
            builtin: boolean;
            /** @description file: the configuration file owns it. */
            managed?: string;
            /** @description Name of the rule. */
            name: string;
            /** @description Why it does not hold on the node that was asked. */
            problem?: string;
            /** @description A built-in rule of its name holds again when it is deleted. */
            replaces?: boolean;
            /** @description {on, when, channels, cooldown, digest, for, recovery, severity, disabled} */
            rule: unknown;
            /**
             * Format: date-time
             * @description When this version was made; absent of a built-in rule.
             */
            updated_at?: string;
            /**
             * Format: int64
             * @description Raised by every change; absent of a built-in rule.
             */
            version?: number;
        };
        AlertRules: {
            /** @description All rules, by name. */
            rules: components["schemas"]["AlertRule"][];
            /** @description What conditions can use. */
            variables: components["schemas"]["AlertVariable"][];
        };
        AlertSilence: {
            /** @description Who has made it. */
            by: string;
            /** @description Name of the channel; all when absent. */
            channel?: string;
            /** @description Who has ended it before its time. */
            ended_by?: string;
            /**
             * Format: date-time
             * @description When it begins.
             */
            from: string;
            /** @description Id of the silence. */
            id: string;
            /** @description Of the task, or what is measured; all when absent. */
            queue?: string;
            /** @description Why, for people. */
            reason: string;
            /** @description Name of the rule; all when absent. */
            rule?: string;
            /**
             * @description scheduled: it begins later. active: it keeps messages back. ended: it is over.
             * @enum {string}
             */
            state: "scheduled" | "active" | "ended";
            /** @description What the alert is about; all when absent. */
            subject?: string;
            /** @description Of the task, or what is measured; all when absent. */
            target?: string;
            /** @description Of the task; all when absent. */
            type?: string;
            /**
             * Format: date-time
             * @description When it ends, or has ended.
             */
            until: string;
        };
        AlertSilencePreview: {
            /**
             * Format: int64
             * @description That it would have kept back.
             */
            messages: number;
            /** @description There were more messages than were looked at, so that it may be more. */
            more: boolean;
            /** @description Rules of today that the pattern names; empty without one. */
            rules: string[];
            /**
             * Format: date-time
             * @description Messages from then on were looked at: those of the last day.
             */
            since: string;
            /** @description Those with the most messages, 100 at most. */
            subjects: components["schemas"]["AlertSilencedSubject"][];
        };
        /**
         * @example {
         *       "rule": "exhausted",
         *       "type": "email",
         *       "for": "2h",
         *       "reason": "the mail server is being replaced"
         *     }
         */
        AlertSilenceSpec: {
            /** @description Name of the channel: others are told. */
            channel?: string;
            /**
             * Format: go-duration
             * @description Until so long after from.
             */
            for?: string;
            /**
             * Format: date-time
             * @description Now when absent.
             */
            from?: string;
            /** @description Of the task, or what is measured. */
            queue?: string;
            /** @description Why, for people. */
            reason: string;
            /** @description Name of the rule. */
            rule?: string;
            /** @description What the alert is about. */
            subject?: string;
            /** @description Of the task, or what is measured. */
            target?: string;
            /** @description Of the task. */
            type?: string;
            /**
             * Format: date-time
             * @description Within 30 days; this or for is required.
             */
            until?: string;
        };
        AlertSilencedSubject: {
            /**
             * Format: date-time
             * @description When the last of them was made.
             */
            last: string;
            /**
             * Format: int64
             * @description How many would have been kept back.
             */
            messages: number;
            /** @description Name of the rule. */
            rule: string;
            /** @description What the messages are about. */
            subject: string;
        };
        AlertSilences: {
            /** @description The silences, those that end last first. */
            silences: components["schemas"]["AlertSilence"][];
        };
        AlertTally: {
            /**
             * Format: int64
             * @description How many there are.
             */
            count: number;
            /** @description The first of it. */
            names?: string[];
            /** @description What it has in common; empty for what is in no other part. */
            what?: string;
        };
        AlertTested: {
            /** @description Name of the channel. */
            channel: string;
            /** @description A message was sent and taken; false where the channel was tried without one. */
            sent: boolean;
        };
        AlertVariable: {
            /** @description What it is. */
            doc: string;
            /** @description What conditions call it. */
            name: string;
            /** @description The rules that can use it, by what they look at. */
            on: ("dead" | "retry" | "crash" | "process" | "resources" | "breaker" | "redrive" | "schedule" | "task" | "letters" | "queue" | "target" | "type" | "category" | "group" | "blocked" | "key" | "change")[];
            /** @description string, int, double, bool, duration or map. */
            type: string;
        };
        /**
         * @example {
         *       "number": 1,
         *       "claim": 1,
         *       "node": "n-7f3a",
         *       "started_at": "2026-03-01T09:30:00.120Z",
         *       "ended_at": "2026-03-01T09:30:30.124Z",
         *       "outcome": "failed",
         *       "category": "timeout",
         *       "error": "no answer within 30s",
         *       "effect": "maybe",
         *       "fingerprint": "5d3b0c9e7a41f208",
         *       "next_delay": "1.5s",
         *       "policy": "payment",
         *       "policy_version": 3
         *     }
         */
        Attempt: {
            /** @description Category of the failure, such as network, timeout or permanent. New ones may come. */
            category?: string;
            /**
             * Format: int64
             * @description Number of the run, which grows with every run of the task.
             */
            claim: number;
            /** @description HTTP status, SQLSTATE or errno. */
            code?: string;
            /**
             * @description Whether the attempt may have done its work; absent where it did not fail.
             * @enum {string}
             */
            effect?: "not_sent" | "maybe" | "done";
            /**
             * Format: date-time
             * @description When it ended.
             */
            ended_at?: string;
            /** @description What failed; of a crashed attempt how it was lost: its process died, or the lease of its worker ended without an answer. */
            error?: string;
            /** @description Equal for failures that are the same to a person. */
            fingerprint?: string;
            /**
             * Format: go-duration
             * @description The wait until the next attempt; absent at the end.
             */
            next_delay?: string;
            /** @description Who ran it, or had leased it to a worker. */
            node?: string;
            /**
             * Format: int64
             * @description Attempts count from 1; one that cost nothing repeats its number.
             */
            number: number;
            /**
             * @description How it ended. failed: it is retried. snoozed, released: it runs again at no cost. crashed: it was lost.
             * @enum {string}
             */
            outcome: "succeeded" | "failed" | "snoozed" | "released" | "dead" | "canceled" | "crashed";
            /** @description The named policy that held for the attempt, and decided what follows a failure; absent for policies without versions, and for a crash. */
            policy?: string;
            /**
             * Format: int64
             * @description Version of that policy.
             */
            policy_version?: number;
            /** @description Release of the program that ran it: of the remote worker, else of the node. */
            release?: string;
            /**
             * Format: date-time
             * @description When it began.
             */
            started_at?: string;
            /** @description Error class or Go type. */
            type?: string;
            /** @description The remote worker that ran it. */
            worker?: string;
        };
        Attempts: {
            /** @description The attempts, oldest first. */
            attempts: components["schemas"]["Attempt"][];
            /** @description What is done of the task, in the order in which that ended. */
            steps?: components["schemas"]["Step"][];
        };
        AuditLog: {
            /** @description Give it back as cursor for the next page; empty on the last one. */
            next_cursor: string;
            /** @description The rows of the page, newest first. */
            rows: components["schemas"]["AuditRow"][];
        };
        AuditRow: {
            /** @description policy.put, task.cancel, queue.pause and the like. */
            action: string;
            /** @description token ID (NAME), api without tokens, cli, file or library. */
            actor: string;
            /** @description Of the caller. */
            address?: string;
            /** @description What is. */
            after?: unknown;
            /**
             * Format: date-time
             * @description When it was done.
             */
            at: string;
            /** @description What was; no secrets. */
            before?: unknown;
            /** @description Id of the row. */
            id: string;
            /** @description X-Request-Id of the request. */
            request?: string;
            /** @description policy/payment, task/ID, queue/mail and the like. */
            subject: string;
        };
        /**
         * @example {
         *       "tasks": [
         *         {
         *           "type": "email",
         *           "payload": {
         *             "to": "ada@example.com"
         *           }
         *         },
         *         {
         *           "type": "email",
         *           "payload": {
         *             "to": "grace@example.com"
         *           }
         *         }
         *       ],
         *       "atomic": true
         *     }
         */
        Batch: {
            /** @description All or none; otherwise each on its own. */
            atomic?: boolean;
            /** @description 1 to 1000 tasks. */
            tasks: components["schemas"]["Draft"][];
        };
        BatchResult: {
            /** @description Why the task was refused; absent where it was not. */
            error?: components["schemas"]["Error"];
            /**
             * Format: uuid
             * @description Id of the task; absent where it was refused.
             */
            id?: string;
            /**
             * Format: int64
             * @description 201 when the task is new, 200 when it was there, else the status of the error.
             */
            status: number;
        };
        /**
         * @example {
         *       "results": [
         *         {
         *           "status": 201,
         *           "id": "01990a2e-4b7c-7d10-9c55-6f0e8a13a2b1"
         *         },
         *         {
         *           "status": 429,
         *           "error": {
         *             "status": 429,
         *             "title": "The queue is full",
         *             "detail": "the queue default has 10000 pending tasks, its limit",
         *             "code": "queue_full",
         *             "retry_after": "1s"
         *           }
         *         }
         *       ]
         *     }
         */
        BatchResults: {
            /** @description One result per task, in the same order. */
            results: components["schemas"]["BatchResult"][];
        };
        BlockedKey: {
            /**
             * Format: uuid
             * @description What blocks it: redrive or purge it, or release the key.
             */
            dead_letter: string;
            /** @description The ordering key. */
            key: string;
            /**
             * @description Tasks behind a key in mode park do not count as backlog.
             * @enum {string}
             */
            mode: "block" | "park";
            /** @description Name of the queue. */
            queue: string;
            /**
             * Format: date-time
             * @description When the dead letter died.
             */
            since: string;
            /**
             * Format: int64
             * @description Pending tasks behind it, counted to 1000.
             */
            waiting: number;
            /** @description There are more than 1000. */
            waiting_more?: boolean;
        };
        BlockedKeys: {
            /** @description The keys of the page. */
            keys: components["schemas"]["BlockedKey"][];
            /** @description Give it back as cursor for the next page; empty on the last one. */
            next_cursor: string;
        };
        Breaker: {
            /**
             * Format: double
             * @description Share of calls let through: 1 closed, 0 open.
             */
            admitted: number;
            /**
             * Format: int64
             * @description In the window.
             */
            calls: number;
            /** @description Of the last change. */
            cause?: string;
            /**
             * Format: int64
             * @description Of the calls in the window.
             */
            failures: number;
            /** @description An operator opened it. */
            forced: boolean;
            /**
             * Format: date-time
             * @description The beginning of the outage.
             */
            opened?: string;
            /**
             * Format: int64
             * @description Probes under way.
             */
            probing: number;
            /**
             * Format: date-time
             * @description The last change.
             */
            since?: string;
            /**
             * Format: int64
             * @description Of the calls in the window.
             */
            slow: number;
            /**
             * @description closed: calls go through. open: none does. half_open: probes do. ramping: ever more do.
             * @enum {string}
             */
            state: "closed" | "ramping" | "half_open" | "open";
            /**
             * Format: int64
             * @description Failed probes of this outage, plus one.
             */
            trips: number;
            /**
             * Format: date-time
             * @description When an open one lets a probe through.
             */
            until?: string;
        };
        Budget: {
            /**
             * Format: int64
             * @description Retries that had to wait, since the nodes' start.
             */
            denied: number;
            /**
             * Format: int64
             * @description First attempts in the last ten seconds.
             */
            first: number;
            /**
             * Format: int64
             * @description Retries in the last ten seconds.
             */
            retries: number;
            /**
             * Format: double
             * @description Of the attempts that succeeded lately. Below 0.9 the budget binds.
             */
            share: number;
            /**
             * Format: double
             * @description Retries that can be made at once.
             */
            tokens: number;
            /**
             * Format: date-time
             * @description When the next retry that waits may run.
             */
            until?: string;
        };
        /**
         * @example {
         *       "action": "cancel",
         *       "filter": {
         *         "type": "email",
         *         "queue": "news"
         *       },
         *       "reason": "sent by mistake",
         *       "dry_run": true
         *     }
         */
        Bulk: {
            /**
             * @description cancel ends pending tasks and asks running ones to end; retry lets pending tasks run at once; reschedule moves the next run of pending tasks.
             * @enum {string}
             */
            action: "cancel" | "retry" | "reschedule";
            /**
             * Format: go-duration
             * @description The same, counted from now.
             */
            delay?: string;
            /** @description Only count. */
            dry_run?: boolean;
            /** @description Tasks that match when the operation begins; those created later are not meant. */
            filter?: components["schemas"]["TaskFilter"];
            /** @description At most 10000. */
            ids?: string[];
            /** @description For the audit log, at most 500 bytes. */
            reason?: string;
            /**
             * Format: date-time
             * @description Of a reschedule: when the tasks run next.
             */
            run_at?: string;
        };
        BulkResult: {
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /**
             * @description What the task is now.
             * @enum {string}
             */
            state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * @description changed: was canceled, or its next run was moved. asked: was running, and was asked to end. left_running, left_ended: was left alone since it ran, or had ended. not_found: there is no such task.
             * @enum {string}
             */
            status: "changed" | "asked" | "left_running" | "left_ended" | "not_found";
        };
        BulkSample: {
            /**
             * Format: int64
             * @description Attempts started and spent.
             */
            attempt: number;
            /** @description Of its last error. */
            category?: string;
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /** @description Ordering key of the task. */
            key?: string;
            /**
             * Format: int64
             * @description What holds for this task, the first attempt included; 0 for unlimited.
             */
            max_attempts: number;
            /** @description Of its last error. */
            message?: string;
            /**
             * Format: date-time
             * @description When it is looked at again why the task waits. Absent where nobody can know.
             */
            next_check?: string;
            /** @description Queue of the task. */
            queue: string;
            /**
             * Format: date-time
             * @description When it runs next.
             */
            run_at?: string;
            /**
             * @description State of the task.
             * @enum {string}
             */
            state: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /** @description Type of the task. */
            type: string;
            /** @description Why a pending task is not running. New ones may come. */
            waiting?: string;
        };
        Bulked: {
            /** @description There are more than matched: counting stops at 100000. */
            at_least?: boolean;
            /** @description Nothing was changed. */
            dry_run?: boolean;
            /**
             * Format: int64
             * @description Tasks that were changed, or will be as far as their states allow.
             */
            matched: number;
            /** @description Id to follow under /v1/operations; empty when it is complete or was a dry run. */
            operation: string;
            /** @description Of up to 100 ids, what has become of each; of a dry run with ids, those to which the action cannot be done. */
            results?: components["schemas"]["BulkResult"][];
            /** @description Of a dry run, the first tasks, at most 10. */
            sample?: components["schemas"]["BulkSample"][];
            /**
             * Format: date-time
             * @description Of a dry run by filter: tasks created before were counted. Give it as the filter's until, and no other tasks are meant.
             */
            until?: string;
        };
        /**
         * @example {
         *       "compensate": true
         *     }
         */
        Cancellation: {
            /** @description Undo the steps of the task too, the last one first, once it is canceled. Also for a task that is canceled already. */
            compensate?: boolean;
        };
        /**
         * @example {
         *       "kind": "webhook",
         *       "url": "https://ops.example.com/outlast",
         *       "secret_env": "OUTLAST_ALERT_SECRET",
         *       "default": true
         *     }
         */
        ChannelSpec: {
            /** @description Of email: host:port of the server. */
            address?: string;
            /** @description It gets the alerts of rules without channels. */
            default?: boolean;
            /** @description The channel that gets what this one cannot deliver. */
            fallback?: string;
            /** @description Of email: address of the sender. */
            from?: string;
            /**
             * @description What it sends to. func channels are made by Go programs only.
             * @enum {string}
             */
            kind: "dingtalk" | "email" | "feishu" | "slack" | "wecom" | "alertmanager" | "pagerduty" | "teams" | "telegram" | "webhook" | "log" | "func";
            /** @description Who is called by name in every message: mobile numbers on DingTalk and WeCom, open ids on Feishu, member ids on Slack, and all. */
            mentions?: string[];
            /** @description Name of the channel; in a request that of the path, or absent. */
            name?: string;
            /** @description Of email: environment variable of the servers with the password. */
            password_env?: string;
            /** @description Of email: file of the servers with the password. */
            password_file?: string;
            /**
             * Format: int64
             * @description Messages per minute, below what the vendor allows; the vendor's limit when absent.
             */
            rate?: number;
            /** @description Environment variable of the servers with the secret that messages are signed with, or that lets them in: the integration key of PagerDuty, the token of a bot of Telegram, a bearer token of the Alertmanager. */
            secret_env?: string;
            /** @description File of the servers with that secret. */
            secret_file?: string;
            /**
             * Format: go-duration
             * @description Limit of one message; 10s when absent.
             */
            timeout?: string;
            /**
             * @description Of email: starttls when absent.
             * @enum {string}
             */
            tls?: "starttls" | "implicit" | "none";
            /** @description Of email: addresses of the receivers. Of telegram: the one chat, by its number or @name. */
            to?: string[];
            /** @description Receiver of a webhook, the Alertmanager, or another address of PagerDuty or Telegram. URLs of robots are secrets: name them by url_env or url_file. */
            url?: string;
            /** @description Environment variable of the servers with the URL. */
            url_env?: string;
            /** @description File of the servers with the URL. */
            url_file?: string;
            /** @description Of email: whom to log in as; nobody when absent. */
            username?: string;
        };
        Check: {
            /** @description What was found, for people. */
            detail?: string;
            /** @description It is as it should be. */
            ok: boolean;
            /**
             * Format: date-time
             * @description Since when it has not been as it should be, where that is known.
             */
            since?: string;
        };
        Compensation: {
            /** @description JSON of at most 64 KiB. */
            payload?: unknown;
            /** @description Type of the task. */
            type: string;
        };
        DeadFilter: {
            /**
             * Format: int64
             * @description With at least so many attempts.
             */
            attempt_min?: number;
            /** @description Of the last error. */
            category?: string;
            /**
             * Format: date-time
             * @description Died before.
             */
            died_before?: string;
            /**
             * Format: date-time
             * @description Failed last at or after; a dead letter did when it died.
             */
            failed_since?: string;
            /**
             * Format: date-time
             * @description Failed last before.
             */
            failed_until?: string;
            /** @description With this fingerprint of the last error. */
            fingerprint?: string;
            /** @description Of this ordering key. */
            key?: string;
            /** @description Names with their values; all must be there. */
            metadata?: {
                [key: string]: string;
            };
            /** @description An ordering key or a type as it is, or a part of the last error's message. */
            q?: string;
            /** @description Of this queue. */
            queue?: string;
            /**
             * @description That died for this reason.
             * @enum {string}
             */
            reason?: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected";
            /**
             * Format: date-time
             * @description Created at or after.
             */
            since?: string;
            /** @description That call this target. */
            target?: string;
            /** @description Trace id. */
            trace?: string;
            /** @description Of this type. */
            type?: string;
            /**
             * Format: date-time
             * @description Created before.
             */
            until?: string;
        };
        DeadGroup: {
            /** @description Category of the failure, such as network, timeout or permanent. New ones may come. */
            category: string;
            /**
             * Format: int64
             * @description How many letters there are.
             */
            count: number;
            /** @description The last error of the example; only of one group. */
            error?: components["schemas"]["Failure"];
            /**
             * Format: uuid
             * @description Id of one of the letters.
             */
            example: string;
            /** @description Equal for failures that are the same to a person. */
            fingerprint: string;
            /**
             * Format: date-time
             * @description When the first of the letters died.
             */
            first_seen: string;
            /**
             * Format: date-time
             * @description When the last of the letters died.
             */
            last_seen: string;
            /** @description Of the example. */
            message: string;
            /**
             * @description Of the letter that died last; the trend tells those of all.
             * @enum {string}
             */
            reason: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected";
            /** @description When, why and where the letters died; only where it is asked for. */
            trend?: components["schemas"]["DeadTrend"];
            /** @description Type of the example. */
            type: string;
        };
        DeadGroups: {
            /** @description The groups, most letters first. */
            groups: components["schemas"]["DeadGroup"][];
        };
        DeadStats: {
            /** @description Dead letters by the category of their last error. */
            by_category: {
                [key: string]: number;
            };
            /** @description Dead letters by why they died. */
            by_reason: {
                [key: string]: number;
            };
            /** @description Dead letters by type. */
            by_type: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description All dead letters.
             */
            total: number;
        };
        DeadTrend: {
            /**
             * Format: int64
             * @description Letters that died earlier.
             */
            before: number;
            /** @description Why they died. */
            by_reason: {
                [key: string]: number;
            };
            /** @description Of the node that ran the last attempt; (none) where it has no name, (unknown) where the node is long gone. At most 20 and (other). */
            by_release: {
                [key: string]: number;
            };
            /** @description At most 20 and (other). */
            by_target: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description All letters that were looked at; fewer than count where there are older ones.
             */
            counted: number;
            /** @description Letters by the hour of their death, the oldest first, the current one last. */
            hours: number[];
            /**
             * Format: date-time
             * @description The beginning of the first hour.
             */
            since: string;
        };
        Dispatch: {
            /**
             * Format: int64
             * @description In a row, on the node that would start the task.
             */
            failures: number;
            /** @description Why nobody took it last. */
            last_error: string;
            /**
             * Format: date-time
             * @description The next try.
             */
            next_at?: string;
        };
        DoneStep: {
            /**
             * Format: int64
             * @description The claim with which the task came.
             */
            claim: number;
            /** @description The task that undoes the step if its own dies. */
            compensation?: components["schemas"]["Compensation"];
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /** @description What the step does, 1 to 128 characters. */
            name: string;
            /**
             * Format: int64
             * @description Which of the steps of this name it is in one attempt, from 1; 1 when absent.
             */
            occurrence?: number;
            /** @description JSON of at most 64 KiB. All steps of a task have at most 4 MiB, with the payloads of their compensations. */
            result?: unknown;
            /**
             * Format: date-time
             * @description When it began, if the worker tells.
             */
            started_at?: string;
            /** @description That of the result, in the words of the worker's language; at most 128 bytes. */
            type?: string;
        };
        /**
         * @example {
         *       "type": "invoice",
         *       "queue": "billing",
         *       "payload": {
         *         "order": 4711
         *       },
         *       "key": "customer-17",
         *       "dedupe_key": "order-4711",
         *       "policy": "payment",
         *       "ttl": "24h",
         *       "metadata": {
         *         "region": "eu"
         *       }
         *     }
         */
        Draft: {
            /** @description When to tell people about this task: {when, channels, cooldown}. Replaces the alert of its type or policy. */
            alert?: unknown;
            /**
             * Format: date-time
             * @description For all attempts together. Not together with ttl.
             */
            deadline?: string;
            /** @description Same key and same content: the same task. Same key and other content: 409 dedupe_conflict. */
            dedupe_key?: string;
            /**
             * Format: go-duration
             * @description How long the dedupe key holds, 24h when absent.
             */
            dedupe_window?: string;
            /**
             * Format: go-duration
             * @description Wait before the first attempt, such as 1.5s. Not together with run_at.
             * @example 10s
             */
            delay?: string;
            /** @description Enqueued in the transaction in which the task dies. */
            fallback?: components["schemas"]["Follow"];
            /**
             * Format: uuid
             * @description The group of tasks that this one is a member of, which must be open. Not together with dedupe_key.
             */
            group?: string;
            /**
             * Format: uuid
             * @description UUID of version 7, made by the caller; its last 16 bits become the lane. A repeat with the same id and content answers with the first task. Made by the server when absent.
             */
            id?: string;
            /** @description Ordering key: tasks of one key run one at a time in the order of their enqueues. */
            key?: string;
            /**
             * Format: int64
             * @description Overrides the policy; the first attempt counts.
             */
            max_attempts?: number;
            /** @description Free labels; not sent to receivers. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Enqueued in the transaction in which the task dies. */
            on_dead?: components["schemas"]["Follow"];
            /** @description Enqueued in the transaction in which the task succeeds. */
            on_success?: components["schemas"]["Follow"];
            /** @description Any JSON value, kept byte for byte. At most 1 MiB. */
            payload?: unknown;
            /** @description Name of a retry policy. */
            policy?: string;
            /**
             * Format: int64
             * @description 0 (lowest) to 9, 5 when absent.
             */
            priority?: number;
            /** @description Defaults to default. */
            queue?: string;
            /** @description Inline retry policy; replaces the named one whole. */
            retry?: unknown;
            /**
             * Format: date-time
             * @description Not before this time. Not together with delay.
             */
            run_at?: string;
            /** @description Whose the task is, such as a customer: starts of a queue go round the share keys, so that one with a backlog delays no other. Tasks without one are one share. */
            share_key?: string;
            /** @description The HTTP request to make. */
            target?: components["schemas"]["Target"];
            /**
             * Format: go-duration
             * @description Limit of each attempt.
             */
            timeout?: string;
            /** @description W3C trace context; the traceparent header is used when absent. */
            trace_parent?: string;
            /**
             * Format: go-duration
             * @description As deadline, counted from now.
             */
            ttl?: string;
            /** @description What kind of task this is. Defaults to http when target.url is given. */
            type?: string;
        };
        /**
         * @example {
         *       "types": [
         *         "mail.send"
         *       ],
         *       "limit": 100
         *     }
         */
        Due: {
            /**
             * Format: int64
             * @description Tasks that are taken at most, 1 to 1000000; 1000 when absent.
             */
            limit?: number;
            /** @description Of these queues; all that the node works on, or that the token is for, when absent. */
            queues?: string[];
            /**
             * Format: date-time
             * @description Tasks that were due before that stay; no bound when absent.
             */
            since?: string;
            /** @description Of these types; all when absent. */
            types?: string[];
        };
        DueCounts: {
            /**
             * Format: int64
             * @description Tasks that were canceled.
             */
            canceled: number;
            /**
             * Format: int64
             * @description Tasks that died.
             */
            dead: number;
            /**
             * Format: int64
             * @description Tasks that are tried again.
             */
            failed: number;
            /**
             * Format: int64
             * @description Due tasks that match and are still pending, counted to 10000.
             */
            left: number;
            /**
             * Format: int64
             * @description Tasks that were handed back without cost.
             */
            released: number;
            /**
             * Format: int64
             * @description Tasks that wait as they asked for.
             */
            snoozed: number;
            /**
             * Format: int64
             * @description Taken: one attempt each, or an end without one, as at a deadline that has passed. One that another node has taken over is counted here only.
             */
            started: number;
            /**
             * Format: int64
             * @description Tasks that succeeded.
             */
            succeeded: number;
        };
        Error: {
            /** @description Stable name of the problem. New ones may come. */
            code: string;
            /** @description What is wrong this time, for people. */
            detail?: string;
            /** @description What is wrong where in the request. */
            errors?: components["schemas"]["Field"][];
            /**
             * Format: uuid
             * @description The task in the way.
             */
            existing?: string;
            /** @description What to do about it, for people. */
            hint?: string;
            /**
             * Format: go-duration
             * @description When to come back.
             */
            retry_after?: string;
            /** @description Of the task or operation, where its state is the problem. */
            state?: string;
            /**
             * Format: int64
             * @description The HTTP status.
             */
            status: number;
            /** @description What the code means, the same for every occurrence. */
            title: string;
        };
        Event: {
            /** @description An object has changed, on whichever node: read it again. */
            changed?: components["schemas"]["EventChanged"];
            /** @description The first message of every connection. */
            hello?: components["schemas"]["EventHello"];
            /** @description Something is missing: read again what is shown. */
            resync?: components["schemas"]["EventResync"];
            /** @description How things stand, about once a second. */
            stats?: components["schemas"]["EventStats"];
            /** @description What became of tasks, at most four times a second. */
            tasks?: components["schemas"]["EventTasks"];
        };
        EventChanged: {
            /**
             * @description What has changed. dead: dead letters were redriven or deleted.
             * @enum {string}
             */
            kind: "policy" | "queue" | "schedule" | "alert" | "operation" | "target" | "node" | "token" | "dead";
            /** @description Absent where any of the kind may have changed. */
            name?: string;
        };
        EventHello: {
            /** @description Id of the node that answers. */
            node: string;
            /**
             * @description Whose changes of tasks are told: those of the node that answers, or of all because there is no other.
             * @enum {string}
             */
            nodes: "this" | "all";
            /**
             * Format: date-time
             * @description The time by the clock of the server.
             */
            now: string;
            /** @description Of the application. */
            release?: string;
            /** @description Version of the program. */
            version?: string;
        };
        EventQueueStats: {
            /** @description What became of its tasks on the node that answers since the stats before, by what. */
            counts?: {
                [key: string]: number;
            };
            /** @description Name of the queue. */
            name: string;
            /**
             * Format: go-duration
             * @description For how long its oldest pending task has been due.
             */
            oldest_due: string;
            /** @description Nothing of it starts. */
            paused: boolean;
            /**
             * Format: int64
             * @description Pending tasks, counted no further than 10000.
             */
            pending: number;
            /**
             * Format: int64
             * @description Running tasks, counted no further than 10000.
             */
            running: number;
        };
        EventResync: {
            /**
             * Format: int64
             * @description How many messages were dropped at most: one each quarter of a second.
             */
            dropped?: number;
            /**
             * @description gone: what came after Last-Event-ID is not kept any more, or was another process'; slow: the reader was too slow.
             * @enum {string}
             */
            reason: "gone" | "slow";
        };
        EventStats: {
            /**
             * Format: date-time
             * @description When it was counted.
             */
            at: string;
            /** @description What became of tasks on the node that answers since the stats before, by what. */
            counts: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description Letters of all queues; absent for a token for certain queues, as nodes, slots, ready and scheduled.
             */
            dead?: number;
            /**
             * Format: int64
             * @description Living ones.
             */
            nodes?: number;
            /**
             * Format: go-duration
             * @description For how long the oldest pending task has been due.
             */
            oldest_due: string;
            /**
             * Format: int64
             * @description Each queue counted no further than 10000, as running.
             */
            pending: number;
            /** @description By name, 100 at most. */
            queues: components["schemas"]["EventQueueStats"][];
            /**
             * Format: int64
             * @description Due tasks in the memory of the node that answers, and those of all nodes that are set aside, since nobody can start them now: no living node starts their type, their target is down, their key is blocked. Of each queue counted to 10000.
             */
            ready?: number;
            /**
             * Format: int64
             * @description Running tasks, each queue counted no further than 10000.
             */
            running: number;
            /**
             * Format: int64
             * @description Tasks in the memory of the node that answers that are not due.
             */
            scheduled?: number;
            /**
             * Format: int64
             * @description Attempts at most, of the living nodes.
             */
            slots?: number;
        };
        EventTask: {
            /**
             * Format: date-time
             * @description When it happened.
             */
            at: string;
            /**
             * Format: int64
             * @description Attempts started and spent.
             */
            attempt: number;
            /** @description Category of the failure. New ones may come. */
            category?: string;
            /** @description HTTP status, SQLSTATE or errno of the failure. */
            code?: string;
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /** @description Ordering key of the task. */
            key?: string;
            /**
             * Format: date-time
             * @description The next run.
             */
            next_at?: string;
            /** @description Queue of the task. */
            queue: string;
            /**
             * @description Why it is dead.
             * @enum {string}
             */
            reason?: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected";
            /**
             * @description State of the task after the change.
             * @enum {string}
             */
            state: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /** @description What the task calls. */
            target?: string;
            /** @description Type of the task. */
            type: string;
            /**
             * @description failed: it will run again; released: given back at no cost, or moved to another time.
             * @enum {string}
             */
            what: "enqueued" | "started" | "failed" | "succeeded" | "dead" | "canceled" | "snoozed" | "released" | "crashed";
        };
        EventTasks: {
            /**
             * Format: date-time
             * @description When the newest of the changes happened.
             */
            at: string;
            /**
             * Format: int64
             * @description How many of them are not listed.
             */
            left_out: number;
            /**
             * Format: int64
             * @description How many changes there were that the filter lets through. Beyond 8192 in a message they are filtered by queue alone.
             */
            seen: number;
            /** @description The newest 100, oldest first. Those of one task are in their order, but that enqueued may come after started. */
            tasks: components["schemas"]["EventTask"][];
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "01990a2e-4b7c-7d10-9c55-6f0e8a13a2b1",
         *           "claim": 3,
         *           "progress": {
         *             "pages": 40
         *           }
         *         }
         *       ],
         *       "lease": "30s"
         *     }
         */
        Extend: {
            /** @description 1 to 1000 tasks. */
            items: components["schemas"]["ExtendItem"][];
            /**
             * Format: go-duration
             * @description From now, 1s to 1h; 30s when absent.
             */
            lease?: string;
        };
        ExtendItem: {
            /**
             * Format: int64
             * @description The claim with which the task came.
             */
            claim: number;
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /** @description Any JSON of at most 4 KiB; shown with the task while it runs, by the node that leased it. */
            progress?: unknown;
        };
        ExtendResult: {
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /**
             * Format: date-time
             * @description When the lease ends now; absent of a task that is lost.
             */
            lease_until?: string;
            /**
             * @description canceled: extended, but somebody wants the task to stop. stale_claim, not_found: stop, the task is not this worker's any more.
             * @enum {string}
             */
            status: "ok" | "canceled" | "stale_claim" | "not_found";
        };
        Extended: {
            /** @description One result per item, in the same order. */
            results: components["schemas"]["ExtendResult"][];
        };
        /**
         * @example {
         *       "category": "unavailable",
         *       "code": "503",
         *       "effect": "done",
         *       "message": "https://pay.example.com/charge answered 503",
         *       "fingerprint": "5d3b0c9e7a41f208",
         *       "at": "2026-03-01T09:30:30.124Z",
         *       "delay": "1.5s"
         *     }
         */
        Failure: {
            /**
             * Format: date-time
             * @description When the attempt ended.
             */
            at?: string;
            /** @description Category of the failure, such as network, timeout or permanent. New ones may come. */
            category: string;
            /** @description HTTP status, SQLSTATE, errno. */
            code?: string;
            /**
             * Format: go-duration
             * @description The wait planned after it.
             */
            delay?: string;
            /**
             * @description Whether the attempt may have done its work: not_sent means no, done means yes, maybe means that nobody knows.
             * @enum {string}
             */
            effect?: "not_sent" | "maybe" | "done";
            /** @description Equal for failures that are the same to a person. */
            fingerprint: string;
            /** @description What failed, for people. */
            message: string;
            /** @description Error class or Go type. */
            type?: string;
        };
        Field: {
            /** @description What is wrong with it. */
            message: string;
            /** @description Where it is, such as target.url or tasks[3].delay. */
            path: string;
        };
        Follow: {
            /** @description Any JSON value; that of the followed task when absent. */
            payload?: unknown;
            /** @description Name of a retry policy. */
            policy?: string;
            /** @description The queue of the followed task when absent. */
            queue?: string;
            /** @description The HTTP request to make. */
            target?: components["schemas"]["Target"];
            /** @description What kind of task this is. Defaults to http when target.url is given. */
            type?: string;
        };
        Group: {
            /**
             * Format: int64
             * @description Dispatches in a row that nobody took.
             */
            failures?: number;
            /**
             * @description busy: all members are at capacity, or answer 503. unreachable: there is no connection to any. empty: no member lives.
             * @enum {string}
             */
            kind?: "busy" | "unreachable" | "empty";
            /** @description Why nobody took the last task. */
            last_error?: string;
            /** @description Its members. */
            members: components["schemas"]["GroupMember"][];
            /** @description Name of the group. */
            name: string;
            /**
             * Format: date-time
             * @description The next try.
             */
            next_at?: string;
            /**
             * @description ready: it takes tasks. held: nobody took the last one, it is left alone until next_at. silent: no member lives.
             * @enum {string}
             */
            state: "ready" | "held" | "silent";
        };
        GroupMember: {
            /**
             * Format: int64
             * @description Tasks at once, 1 when absent.
             */
            capacity?: number;
            /** @description Id of the member, which it has chosen itself. */
            id: string;
            /**
             * Format: int64
             * @description Tasks that the node that was asked has under way there.
             */
            in_flight: number;
            /** @description It has beaten lately. */
            living: boolean;
            /**
             * Format: double
             * @description Tasks that it has in hand, whoever gave them.
             */
            load?: number;
            /**
             * Format: date-time
             * @description Its last beat, by the clock of the node that was asked.
             */
            seen_at: string;
            /**
             * Format: go-duration
             * @description How long it is a member without another beat, 1s to 1h; 15s when absent, unless configured.
             */
            ttl?: string;
            /** @description http or https; the paths of tasks are added to its own. */
            url: string;
        };
        Groups: {
            /** @description All worker groups, by name. */
            groups: components["schemas"]["Group"][];
        };
        Health: {
            /** @description What was checked, by name; only with ?verbose. */
            checks?: {
                [key: string]: components["schemas"]["Check"];
            };
            /**
             * @description alive: of /livez. ready, not ready: of /readyz.
             * @enum {string}
             */
            status: "alive" | "ready" | "not ready";
        };
        /**
         * @example {
         *       "key": "customer-17"
         *     }
         */
        KeyRelease: {
            /** @description The ordering key that a dead task blocks. */
            key: string;
        };
        KeyReleased: {
            /** @description Whether the key was blocked; the dead letter stays. */
            released: boolean;
        };
        Lane: {
            /**
             * Format: int64
             * @description Rises with every owner.
             */
            epoch: number;
            /**
             * Format: int64
             * @description Tasks of it in memory, running ones included, where the node that answers owns it.
             */
            known?: number;
            /**
             * Format: int64
             * @description Number of the lane.
             */
            number: number;
            /** @description Node that orders and starts its tasks; absent while it has none. */
            owner?: string;
            /**
             * @description The lane of a node that is not alive is free, and will be taken.
             * @enum {string}
             */
            owner_state?: "alive" | "left" | "dead";
            /** @description Name of the queue. */
            queue: string;
        };
        Lanes: {
            /**
             * Format: date-time
             * @description When the node that answers has read this from the store.
             */
            as_of: string;
            /** @description The lanes of the page. */
            lanes: components["schemas"]["Lane"][];
            /** @description Of the next page; empty at the end. */
            next_cursor: string;
            /** @description That was more than 5s ago: the store does not answer, and things may stand otherwise by now. */
            stale?: boolean;
        };
        LeasedTask: {
            /** @description When to tell people about this task: {when, channels, cooldown}. */
            alert?: unknown;
            /**
             * Format: int64
             * @description Attempts started and spent.
             */
            attempt: number;
            /**
             * Format: date-time
             * @description When the attempt's timeout or the deadline of the task ends the attempt, by the clock of the server.
             */
            attempt_ends?: string;
            /** @description Last error of the callback task. */
            callback_error?: string;
            /**
             * @description State of the callback task.
             * @enum {string}
             */
            callback_state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * Format: uuid
             * @description The on_success or on_dead task of this one, where one task is asked for.
             */
            callback_task?: string;
            /** @description Somebody wants the running attempt to stop. */
            cancel_requested?: boolean;
            /**
             * Format: int64
             * @description Grows with every run.
             */
            claim: number;
            /**
             * @description State of the compensation task: when it has succeeded, what undoes the steps is enqueued.
             * @enum {string}
             */
            compensation_state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * Format: uuid
             * @description The task that undoes the steps of this one once it is canceled, where that was asked for and one task is asked for.
             */
            compensation_task?: string;
            /**
             * Format: int64
             * @description Runs that were lost, since their process died or the lease of their worker ended without an answer; they cost no attempt.
             */
            crashes: number;
            /**
             * Format: date-time
             * @description When it was accepted.
             */
            created_at: string;
            /**
             * @description Why it died: the attempts are exhausted, the failure is permanent, the deadline has passed, it killed its process too often, nothing can start it, or it was rejected.
             * @enum {string}
             */
            dead_reason?: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected";
            /**
             * Format: date-time
             * @description For all attempts together.
             */
            deadline?: string;
            /** @description Key under which a repeat of the enqueue is found. */
            dedupe_key?: string;
            /**
             * Format: go-duration
             * @description How long the dedupe key holds.
             */
            dedupe_window?: string;
            /** @description Of a task for a worker group that nobody takes. */
            dispatch?: components["schemas"]["Dispatch"];
            /** @description The task that is enqueued when this one dies. */
            fallback?: components["schemas"]["Follow"];
            /** @description Last error of the fallback task. */
            fallback_error?: string;
            /**
             * @description State of the fallback task, where one task is asked for.
             * @enum {string}
             */
            fallback_state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * Format: uuid
             * @description The task that was enqueued when this one died.
             */
            fallback_task?: string;
            /**
             * Format: date-time
             * @description When it ended; absent of a task that lives.
             */
            finished_at?: string;
            /**
             * @description As what it follows its parent.
             * @enum {string}
             */
            follows?: "fallback" | "on_success" | "on_dead" | "compensation" | "group";
            /**
             * Format: uuid
             * @description The group of tasks that this one is a member of.
             */
            group?: string;
            /**
             * Format: uuid
             * @description Id of the task, a UUID of version 7.
             */
            id: string;
            /** @description Ordering key: tasks of one key run one at a time. */
            key?: string;
            /** @description Error of the last attempt that failed; absent if none did. */
            last_error?: components["schemas"]["Failure"];
            /**
             * Format: date-time
             * @description When its last attempt that failed ended; of a dead letter when it died.
             */
            last_failed_at?: string;
            /**
             * Format: date-time
             * @description Of a task that a remote worker runs: not extended by then, it runs elsewhere. Told by the node that leased it.
             */
            lease_until?: string;
            /**
             * Format: int64
             * @description What holds for this task, the first attempt included; 0 for unlimited.
             */
            max_attempts: number;
            /** @description Free labels. */
            metadata?: {
                [key: string]: string;
            };
            /** @description The encryption key that nodes lack, of a task that waits for that. */
            missing_key?: string;
            /**
             * Format: date-time
             * @description When it is looked at again why the task waits: the next run, the next probe of an open breaker, the next token of a spent budget. Absent where nobody can know.
             */
            next_check?: string;
            /** @description Who runs it now, or has leased it to a worker. */
            node?: string;
            /** @description The task that is enqueued when this one dies, beside fallback. */
            on_dead?: components["schemas"]["Follow"];
            /** @description The task that is enqueued when this one succeeds. */
            on_success?: components["schemas"]["Follow"];
            /**
             * Format: uuid
             * @description The task that this one follows, or the group of tasks whose callback it is.
             */
            parent?: string;
            /** @description Byte for byte as it was enqueued. Absent when the payload is not JSON, see payload_base64. */
            payload?: unknown;
            /** @description A payload that a Go program enqueued and that is not JSON. */
            payload_base64?: string;
            /** @description Name of its retry policy; absent where its type or queue says which holds. */
            policy?: string;
            /**
             * Format: int64
             * @description Version of the named policy; presets have one, 1. Absent for an inline policy.
             */
            policy_version?: number;
            /**
             * Format: int64
             * @description 0 (lowest) to 9.
             */
            priority: number;
            /** @description Last reported by a Go handler on this node. */
            progress?: unknown;
            /** @description Name of the queue. */
            queue: string;
            /** @description JSON that the attempt that succeeded answered with. */
            result?: unknown;
            /** @description Inline retry policy; absent where it has none. */
            retry?: unknown;
            /**
             * Format: date-time
             * @description Not before this time: of the first attempt or of the next retry.
             */
            run_at: string;
            /** @description Whose the task is: starts of a queue go round the share keys. */
            share_key?: string;
            /**
             * Format: date-time
             * @description When the attempt that runs, or ran last, began.
             */
            started_at?: string;
            /**
             * @description pending: it waits for its time. running: an attempt runs. succeeded: it has ended well. dead: it was given up, and is a dead letter. canceled: it has ended by request.
             * @enum {string}
             */
            state: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /** @description What is done of it, in the order in which that ended, where one task is asked for. Of a task that is leased to a worker, what is not to be done again. */
            steps?: components["schemas"]["Step"][];
            /** @description The HTTP request to make; absent where a handler or a worker runs it. */
            target?: components["schemas"]["Target"];
            /**
             * Format: go-duration
             * @description Limit of each attempt.
             */
            timeout?: string;
            /** @description W3C trace context of who enqueued it. */
            trace_parent?: string;
            /** @description What kind of task this is. */
            type: string;
            /**
             * Format: date-time
             * @description When it changed last.
             */
            updated_at?: string;
            /** @description Why a pending task is not running. New ones may come. */
            waiting?: string;
            /** @description The remote worker that runs it now. */
            worker?: string;
        };
        Letter: {
            /** @description When to tell people about this task: {when, channels, cooldown}. */
            alert?: unknown;
            /**
             * Format: int64
             * @description Attempts started and spent.
             */
            attempt: number;
            /** @description All attempts, oldest first. */
            attempts: components["schemas"]["Attempt"][];
            /** @description Last error of the callback task. */
            callback_error?: string;
            /**
             * @description State of the callback task.
             * @enum {string}
             */
            callback_state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * Format: uuid
             * @description The on_success or on_dead task of this one, where one task is asked for.
             */
            callback_task?: string;
            /** @description Somebody wants the running attempt to stop. */
            cancel_requested?: boolean;
            /**
             * Format: int64
             * @description Grows with every run.
             */
            claim: number;
            /**
             * @description State of the compensation task: when it has succeeded, what undoes the steps is enqueued.
             * @enum {string}
             */
            compensation_state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * Format: uuid
             * @description The task that undoes the steps of this one once it is canceled, where that was asked for and one task is asked for.
             */
            compensation_task?: string;
            /**
             * Format: int64
             * @description Runs that were lost, since their process died or the lease of their worker ended without an answer; they cost no attempt.
             */
            crashes: number;
            /**
             * Format: date-time
             * @description When it was accepted.
             */
            created_at: string;
            /**
             * @description Why it died: the attempts are exhausted, the failure is permanent, the deadline has passed, it killed its process too often, nothing can start it, or it was rejected.
             * @enum {string}
             */
            dead_reason?: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected";
            /**
             * Format: date-time
             * @description For all attempts together.
             */
            deadline?: string;
            /** @description Key under which a repeat of the enqueue is found. */
            dedupe_key?: string;
            /**
             * Format: go-duration
             * @description How long the dedupe key holds.
             */
            dedupe_window?: string;
            /** @description Of a task for a worker group that nobody takes. */
            dispatch?: components["schemas"]["Dispatch"];
            /** @description The task that is enqueued when this one dies. */
            fallback?: components["schemas"]["Follow"];
            /** @description Last error of the fallback task. */
            fallback_error?: string;
            /**
             * @description State of the fallback task, where one task is asked for.
             * @enum {string}
             */
            fallback_state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * Format: uuid
             * @description The task that was enqueued when this one died.
             */
            fallback_task?: string;
            /**
             * Format: date-time
             * @description When it ended; absent of a task that lives.
             */
            finished_at?: string;
            /**
             * @description As what it follows its parent.
             * @enum {string}
             */
            follows?: "fallback" | "on_success" | "on_dead" | "compensation" | "group";
            /**
             * Format: uuid
             * @description The group of tasks that this one is a member of.
             */
            group?: string;
            /**
             * Format: uuid
             * @description Id of the task, a UUID of version 7.
             */
            id: string;
            /** @description Ordering key: tasks of one key run one at a time. */
            key?: string;
            /** @description Error of the last attempt that failed; absent if none did. */
            last_error?: components["schemas"]["Failure"];
            /**
             * Format: date-time
             * @description When its last attempt that failed ended; of a dead letter when it died.
             */
            last_failed_at?: string;
            /**
             * Format: date-time
             * @description Of a task that a remote worker runs: not extended by then, it runs elsewhere. Told by the node that leased it.
             */
            lease_until?: string;
            /**
             * Format: int64
             * @description What holds for this task, the first attempt included; 0 for unlimited.
             */
            max_attempts: number;
            /** @description Free labels. */
            metadata?: {
                [key: string]: string;
            };
            /** @description The encryption key that nodes lack, of a task that waits for that. */
            missing_key?: string;
            /**
             * Format: date-time
             * @description When it is looked at again why the task waits: the next run, the next probe of an open breaker, the next token of a spent budget. Absent where nobody can know.
             */
            next_check?: string;
            /** @description Who runs it now, or has leased it to a worker. */
            node?: string;
            /** @description The task that is enqueued when this one dies, beside fallback. */
            on_dead?: components["schemas"]["Follow"];
            /** @description The task that is enqueued when this one succeeds. */
            on_success?: components["schemas"]["Follow"];
            /**
             * Format: uuid
             * @description The task that this one follows, or the group of tasks whose callback it is.
             */
            parent?: string;
            /** @description Byte for byte as it was enqueued. Absent when the payload is not JSON, see payload_base64. */
            payload?: unknown;
            /** @description A payload that a Go program enqueued and that is not JSON. */
            payload_base64?: string;
            /** @description Name of its retry policy; absent where its type or queue says which holds. */
            policy?: string;
            /**
             * Format: int64
             * @description Version of the named policy; presets have one, 1. Absent for an inline policy.
             */
            policy_version?: number;
            /**
             * Format: int64
             * @description 0 (lowest) to 9.
             */
            priority: number;
            /** @description Last reported by a Go handler on this node. */
            progress?: unknown;
            /** @description Name of the queue. */
            queue: string;
            /** @description JSON that the attempt that succeeded answered with. */
            result?: unknown;
            /** @description Inline retry policy; absent where it has none. */
            retry?: unknown;
            /**
             * Format: date-time
             * @description Not before this time: of the first attempt or of the next retry.
             */
            run_at: string;
            /** @description Whose the task is: starts of a queue go round the share keys. */
            share_key?: string;
            /**
             * Format: date-time
             * @description When the attempt that runs, or ran last, began.
             */
            started_at?: string;
            /**
             * @description pending: it waits for its time. running: an attempt runs. succeeded: it has ended well. dead: it was given up, and is a dead letter. canceled: it has ended by request.
             * @enum {string}
             */
            state: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /** @description What is done of it, in the order in which that ended, where one task is asked for. Of a task that is leased to a worker, what is not to be done again. */
            steps?: components["schemas"]["Step"][];
            /** @description The HTTP request to make; absent where a handler or a worker runs it. */
            target?: components["schemas"]["Target"];
            /**
             * Format: go-duration
             * @description Limit of each attempt.
             */
            timeout?: string;
            /** @description W3C trace context of who enqueued it. */
            trace_parent?: string;
            /** @description What kind of task this is. */
            type: string;
            /**
             * Format: date-time
             * @description When it changed last.
             */
            updated_at?: string;
            /** @description Why a pending task is not running. New ones may come. */
            waiting?: string;
            /** @description The remote worker that runs it now. */
            worker?: string;
        };
        /**
         * @example {
         *       "url": "http://10.0.0.7:8080",
         *       "capacity": 4,
         *       "load": 1,
         *       "ttl": "15s"
         *     }
         */
        Member: {
            /**
             * Format: int64
             * @description Tasks at once, 1 when absent.
             */
            capacity?: number;
            /**
             * Format: double
             * @description Tasks that it has in hand, whoever gave them.
             */
            load?: number;
            /**
             * Format: go-duration
             * @description How long it is a member without another beat, 1s to 1h; 15s when absent, unless configured.
             */
            ttl?: string;
            /** @description http or https; the paths of tasks are added to its own. */
            url: string;
        };
        NewToken: {
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description Who made it. */
            created_by?: string;
            /**
             * Format: date-time
             * @description When it stops being good; absent of one that does not.
             */
            expires_at?: string;
            /** @description Id of the token, which is no secret. */
            id: string;
            /** @description Who or what bears it. */
            name: string;
            /** @description All when absent. */
            queues?: string[];
            /**
             * Format: date-time
             * @description When it was revoked; absent if it was not.
             */
            revoked_at?: string;
            /** @description Who revoked it. */
            revoked_by?: string;
            /**
             * @description What its bearer may do.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "enqueuer" | "worker";
            /**
             * @description live, expired or revoked.
             * @enum {string}
             */
            state: "live" | "expired" | "revoked";
            /** @description What its bearer sends. It is shown this once. */
            token: string;
        };
        Node: {
            /** @description Where its API listens. */
            address?: string;
            /** @description Address ranges that it may call beside public ones. */
            allow_targets?: string[];
            /** @description Id of the node. */
            id: string;
            /**
             * @description embedded: an application with the library inside.
             * @enum {string}
             */
            kind: "server" | "embedded";
            /**
             * Format: int64
             * @description That it owns.
             */
            lanes: number;
            /** @description It stops, and starts nothing more. */
            leaving?: boolean;
            /** @description That it takes part in. */
            queues: string[];
            /** @description Of the application. */
            release?: string;
            /**
             * Format: int64
             * @description Attempts in progress, at its last beat; 0 for one that left or died. Absent for a token for certain queues, since they are of all.
             */
            running?: number;
            /** @description The node that answers. */
            self: boolean;
            /** @description Hosts whose requests it signs. */
            signs?: string[];
            /**
             * Format: go-duration
             * @description For how long the node that answers has seen no beat of this one. A node is dead after 5s.
             */
            silent?: string;
            /**
             * Format: int64
             * @description Attempts at most; 0 for one that left or died.
             */
            slots: number;
            /**
             * Format: date-time
             * @description When it started.
             */
            started_at: string;
            /**
             * @description Nodes that left or died are shown for an hour.
             * @enum {string}
             */
            state: "alive" | "left" | "dead";
            /** @description That it can start; @http makes the requests of tasks with a target, * stands for every type. */
            types: string[];
            /** @description Version of the program. */
            version?: string;
        };
        NodeTarget: {
            /** @description The circuit breaker. */
            breaker: components["schemas"]["Breaker"];
            /** @description The retry budget. */
            budget: components["schemas"]["Budget"];
            /**
             * Format: date-time
             * @description Until then the target wants no calls: it has refused with a hint.
             */
            held_until?: string;
            /**
             * Format: int64
             * @description Attempts that run.
             */
            in_flight: number;
            /**
             * Format: int64
             * @description Attempts at once.
             */
            limit: number;
            /** @description Id of the node. */
            node: string;
            /** @description The handler of the type wants no guards: only an operator's order holds its tasks. */
            unguarded?: boolean;
            /** @description Due tasks in the memory of the nodes, by what holds them. */
            waiting: components["schemas"]["TargetWaiting"];
        };
        Nodes: {
            /**
             * Format: date-time
             * @description When the node that answers has read this from the store.
             */
            as_of: string;
            /** @description The nodes, living ones first. */
            nodes: components["schemas"]["Node"][];
            /** @description That was more than 5s ago: the store does not answer, and things may stand otherwise by now. */
            stale?: boolean;
            /**
             * Format: int64
             * @description How many there are, also beyond the limit.
             */
            total: number;
        };
        None: Record<string, never>;
        /**
         * @example {
         *       "id": "01990a31-0f42-7a9b-8d21-c4e5f60718a9",
         *       "kind": "redrive",
         *       "state": "running",
         *       "matched": 1200,
         *       "done": 300,
         *       "sent": 298,
         *       "skipped": 2,
         *       "request": {
         *         "filter": {
         *           "type": "invoice"
         *         },
         *         "rate": 20
         *       },
         *       "created_at": "2026-03-01T10:00:00Z",
         *       "updated_at": "2026-03-01T10:00:15Z"
         *     }
         */
        Operation: {
            /** @description What was asked for, of an action on tasks. */
            bulk?: components["schemas"]["Bulk"];
            /**
             * Format: int64
             * @description Of an action on tasks, those that were canceled or moved, or asked to end.
             */
            changed?: number;
            /**
             * Format: date-time
             * @description When it was asked for.
             */
            created_at: string;
            /**
             * Format: int64
             * @description Handled so far: sent or changed, and skipped.
             */
            done: number;
            /** @description Why it failed, or paused by itself. */
            error?: string;
            /**
             * Format: int64
             * @description Of the last 1000 redriven, those that were dead again, or had failed and were to be repeated, when the operation looked last; only with canary or stop_if_failing, else nobody counts them. Its items tell how they stand now.
             */
            failing?: number;
            /**
             * Format: date-time
             * @description When it ended; absent before.
             */
            finished_at?: string;
            /** @description Id of the operation. */
            id: string;
            /** @description What it does: redrive, or an action on tasks. New ones may come. */
            kind: string;
            /**
             * Format: int64
             * @description Letters or tasks that matched when it began; at least so many while they are listed.
             */
            matched: number;
            /**
             * Format: int64
             * @description How many ids were given, in place of a filter.
             */
            named?: number;
            /** @description What was asked for, of a redrive. */
            request?: components["schemas"]["Redrive"];
            /**
             * Format: int64
             * @description Letters that were redriven.
             */
            sent: number;
            /**
             * Format: int64
             * @description Letters that were no dead letters any more when their turn came; tasks that were left alone since they ran, had ended or were gone.
             */
            skipped: number;
            /**
             * @description running: it goes on. paused: it waits to be resumed. done: all is handled. canceled: somebody ended it. failed: it ended itself; error says why.
             * @enum {string}
             */
            state: "running" | "paused" | "done" | "canceled" | "failed";
            /**
             * Format: int64
             * @description Of the last 1000 redriven, those that had succeeded when the operation looked last; only with canary or stop_if_failing, else nobody counts them.
             */
            succeeded?: number;
            /**
             * Format: date-time
             * @description When it changed last.
             */
            updated_at?: string;
            /** @description What a running operation waits for. */
            waiting?: string;
        };
        OperationItem: {
            /**
             * Format: date-time
             * @description When the task changed last.
             */
            at?: string;
            /**
             * Format: int64
             * @description Attempts started and spent.
             */
            attempt?: number;
            /** @description Its last error, if it is dead or has failed since it was redriven. */
            error?: components["schemas"]["Failure"];
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /** @description Ordering key of the task. */
            key?: string;
            /**
             * Format: int64
             * @description In the order in which the letters go, from 1.
             */
            place: number;
            /** @description Queue of the task. */
            queue?: string;
            /**
             * @description Why a dead letter died.
             * @enum {string}
             */
            reason?: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected";
            /**
             * @description Of an action on tasks: what the task is now.
             * @enum {string}
             */
            state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * @description waiting: its turn has not come. skipped: it was no dead letter any more when its turn came. pending, running, succeeded, dead (again), canceled: it was redriven, and is that now. resent: another redrive has taken it since. gone: what became of it was deleted. Of an action on tasks: changed: was canceled, or its next run was moved. asked: was running, and was asked to end. left_running, left_ended, not_found: was left alone.
             * @enum {string}
             */
            status: "waiting" | "pending" | "running" | "succeeded" | "dead" | "canceled" | "resent" | "gone" | "skipped" | "changed" | "asked" | "left_running" | "left_ended" | "not_found";
            /** @description Type of the task. */
            type?: string;
        };
        OperationItems: {
            /** @description The letters or tasks of the page. */
            items: components["schemas"]["OperationItem"][];
            /** @description Of the next page; empty at the end. */
            next_cursor: string;
        };
        Operations: {
            /** @description The operations, newest first. */
            operations: components["schemas"]["Operation"][];
        };
        Plan: {
            /** @description What attempt 1, 2, … adds to it. */
            adds: number[];
            /** @description What to change, in sentences for people. */
            advice?: string[];
            /**
             * Format: int64
             * @description The first one included; 0 for unlimited.
             */
            attempts: number;
            /** @description The waits before retries, the first ones. */
            delays: components["schemas"]["PlanDelay"][];
            /**
             * Format: go-duration
             * @description Longest time from the first attempt to the end of the last one, as far as the length of attempts is known.
             */
            elapsed: string;
            /**
             * Format: double
             * @description The share of attempts that fail, as asked for.
             */
            fail_rate: number;
            /** @description The presets that keep the limit; only where that was asked for. */
            fit?: components["schemas"]["PlanFitting"][];
            /**
             * Format: int64
             * @description Retries that certainly end within the limit.
             */
            in_time: number;
            /** @description How well clients are kept apart that fail together; absent without retries. */
            jitter?: components["schemas"]["PlanJitter"];
            /**
             * Format: go-duration
             * @description Time that all attempts and waits have.
             */
            limit?: string;
            /** @description What the policy does to a target that fails. */
            load: components["schemas"]["PlanLoad"];
            /**
             * Format: int64
             * @description Retries that delays leaves out.
             */
            more?: number;
            /** @description The policy as it would be written, complete; solved if something was solved for. */
            policy: unknown;
            /**
             * Format: int64
             * @description One less; with unlimited attempts, how many are listed.
             */
            retries: number;
            /** @description The schedules of the rules of the policy that have their own. */
            rules?: components["schemas"]["PlanRule"][];
            /** @description Of an exponential schedule, before the cap. */
            sensitivities?: components["schemas"]["PlanSensitivity"][];
            /** @description The largest value that keeps the limit; only where something was solved for. */
            solution?: components["schemas"]["PlanSolution"];
            /** @description Probability that one of 1, 2, … attempts succeeds if they fail independently. */
            success: number[];
            /** @description The schedule in one line. */
            summary: string;
            /**
             * Format: go-duration
             * @description Nominal waits of all retries.
             */
            total: string;
            /** @description All waits under the jitter. */
            totals: components["schemas"]["PlanTotals"];
            /** @description What is probably not meant. */
            warnings: components["schemas"]["PlanWarning"][];
        };
        PlanDelay: {
            /**
             * Format: go-duration
             * @description Sum of the nominal waits up to here.
             */
            at: string;
            /**
             * Format: go-duration
             * @description No wait reaches it unless it equals min.
             */
            max: string;
            /**
             * Format: go-duration
             * @description The mean wait under the jitter.
             */
            mean: string;
            /**
             * Format: go-duration
             * @description The shortest wait under the jitter.
             */
            min: string;
            /**
             * Format: go-duration
             * @description Before jitter, under the cap.
             */
            nominal: string;
            /**
             * Format: int64
             * @description Number of the retry, from 1.
             */
            retry: number;
        };
        PlanFitting: {
            /**
             * Format: int64
             * @description The first one included; 0 for unlimited.
             */
            attempts: number;
            /**
             * Format: go-duration
             * @description Longest time from the first attempt to the end of the last one.
             */
            elapsed: string;
            /** @description Name of the preset. */
            preset: string;
            /** @description What the preset is for. */
            purpose: string;
            /**
             * Format: go-duration
             * @description What is left of the limit.
             */
            slack: string;
        };
        PlanJitter: {
            /**
             * Format: double
             * @description How much synchrony one more retry leaves.
             */
            coherence: number;
            /**
             * Format: double
             * @description Lower bound as a share of the nominal wait.
             */
            from: number;
            /** @description Kind of the jitter, such as full or none. */
            kind: string;
            /**
             * Format: double
             * @description What one wave of retries keeps of the synchronized beat, as a share of power.
             */
            line: number;
            /**
             * Format: double
             * @description Mean as a share of the nominal wait.
             */
            mean: number;
            /**
             * Format: double
             * @description Highest density over the mean one; absent without jitter.
             */
            peak?: number;
            /**
             * Format: double
             * @description Retries until less than 1 % of the synchrony is left; absent without jitter.
             */
            retries_to_apart?: number;
            /**
             * Format: double
             * @description Upper bound as a share of the nominal wait.
             */
            to: number;
            /**
             * Format: double
             * @description The largest at 1 to 5 beats per nominal wait.
             */
            worst_line: number;
        };
        PlanLoad: {
            /** @description The load at some fail rates. */
            at: components["schemas"]["PlanLoadAt"][];
            /**
             * Format: int64
             * @description Of one request at worst, through all layers; 0 for unlimited.
             */
            attempts: number;
            /**
             * Format: double
             * @description The same at the fail rate.
             */
            in_flight?: number;
            /**
             * Format: double
             * @description Rate times length of an attempt.
             */
            in_flight_healthy?: number;
            /**
             * Format: double
             * @description The same when everything fails.
             */
            in_flight_worst?: number;
            /**
             * Format: int64
             * @description Product of the attempts of the outer layers.
             */
            layers: number;
            /**
             * Format: double
             * @description Largest utilization from which the target recovers by itself when all retries are made.
             */
            stable: number;
            /**
             * Format: double
             * @description The same under the policy's retry budget.
             */
            stable_with_budget?: number;
        };
        PlanLoadAt: {
            /**
             * Format: double
             * @description Attempts per first attempt; absent when without limit.
             */
            amplification?: number;
            /**
             * Format: double
             * @description The share of attempts that fail.
             */
            fail_rate: number;
            /**
             * Format: double
             * @description The same of this layer under the policy's retry budget, without the floor of the budget.
             */
            with_budget?: number;
        };
        /**
         * @example {
         *       "preset": "transient",
         *       "deadline": "1h",
         *       "attempt_time": "200ms",
         *       "rows": 5
         *     }
         */
        PlanRequest: {
            /** @description When to tell people about tasks of the policy: {when, channels, cooldown}. */
            alert?: unknown;
            /**
             * Format: go-duration
             * @description Usual length of an attempt.
             */
            attempt_time?: string;
            /** @description kind, initial, multiplier, max, step, steps, jitter. */
            backoff?: unknown;
            /** @description The circuit breaker of the target, or none: failure_rate, min_calls, window, open_for and the like. */
            breaker?: unknown;
            /** @description The retry budget of the target, or none: ratio, floor, burst, pressure. */
            budget?: unknown;
            /** @description The share of the tasks for which this version holds, such as "10%" or 10, above 0 to 100. */
            canary?: unknown;
            /**
             * Format: go-duration
             * @description Time that the caller has, from the first attempt on.
             */
            deadline?: string;
            /**
             * Format: double
             * @description Share of attempts that fail, above 0 to 1; 0.5 when absent.
             */
            fail_rate?: number;
            /** @description The task that follows a dead one: type, queue, policy, payload, target. */
            fallback?: unknown;
            /**
             * Format: go-duration
             * @description Wait before the first attempt; none when absent.
             */
            first_run_after?: string;
            /** @description Name the presets that keep the lower of ttl and deadline. */
            fit?: boolean;
            /**
             * Format: int64
             * @description The first attempt counts.
             */
            max_attempts?: number;
            /**
             * Format: int64
             * @description How many runs may be lost before the task dies as crash_loop.
             */
            max_crashes?: number;
            /** @description Categories, error types and codes that are never retried; these win over retry_on. */
            never_on?: unknown;
            /**
             * @description What becomes of the tasks of an ordering key behind a dead one.
             * @enum {string}
             */
            order_on_dead?: "block" | "skip" | "park";
            /** @description Attempts of the layers that call this one. */
            outer_attempts?: number[];
            /** @description Name of a preset; the other keys of the policy override it. */
            preset?: string;
            /**
             * Format: double
             * @description First attempts per second.
             */
            rate?: number;
            /** @description Categories, error types and codes that are retried beyond the usual. */
            retry_on?: unknown;
            /**
             * Format: int64
             * @description Retries to list, up to 10 000; 100 when absent.
             */
            rows?: number;
            /** @description The first that matches decides; when is a list of categories or an expression in CEL. */
            rules?: unknown;
            /**
             * @description What to find the largest value of that keeps the lower of ttl and deadline.
             * @enum {string}
             */
            solve?: "initial" | "multiplier" | "retries";
            /**
             * Format: go-duration
             * @description Limit of each attempt.
             */
            timeout?: string;
            /**
             * Format: go-duration
             * @description Limit of all attempts and waits together.
             */
            ttl?: string;
            /** @description No limit of attempts. */
            unlimited?: boolean;
            /**
             * Format: double
             * @description Share of the target's capacity that first attempts use.
             */
            utilization?: number;
        };
        PlanRule: {
            /**
             * Format: int64
             * @description The first one included; 0 for unlimited.
             */
            attempts: number;
            /** @description The first 16. */
            delays: components["schemas"]["PlanDelay"][];
            /** @description The expression of a rule that has no categories. */
            if?: string;
            /**
             * Format: int64
             * @description Retries that delays leaves out.
             */
            more?: number;
            /**
             * @description What the rule does; retry when absent.
             * @enum {string}
             */
            then?: "retry" | "dead" | "snooze";
            /**
             * Format: go-duration
             * @description Of the first 1000 waits.
             */
            total: string;
            /** @description Categories that the rule is for. New ones may come. */
            when: string[];
        };
        PlanSensitivity: {
            /**
             * Format: go-duration
             * @description Per 1 of the multiplier.
             */
            by_multiplier: string;
            /**
             * Format: go-duration
             * @description Per retry.
             */
            by_retry: string;
            /**
             * Format: int64
             * @description Number of the retry, from 1.
             */
            retry: number;
        };
        PlanSolution: {
            /**
             * Format: go-duration
             * @description The first wait; only where it was solved for.
             */
            initial?: string;
            /**
             * Format: go-duration
             * @description Time that all attempts and waits have.
             */
            limit: string;
            /**
             * Format: double
             * @description The multiplier; only where it was solved for.
             */
            multiplier?: number;
            /**
             * Format: int64
             * @description How many retries; only where they were solved for.
             */
            retries?: number;
            /**
             * Format: go-duration
             * @description What is left of the limit.
             */
            slack: string;
        };
        PlanTotals: {
            /**
             * Format: go-duration
             * @description If each wait is the longest.
             */
            max: string;
            /**
             * Format: go-duration
             * @description The mean.
             */
            mean: string;
            /**
             * Format: go-duration
             * @description If each wait is the shortest.
             */
            min: string;
        };
        PlanWarning: {
            /** @description Stable name of the warning. New ones may come. */
            code: string;
            /** @description The key of the policy. */
            field: string;
            /** @description What is wrong, for people. */
            message: string;
        };
        Policies: {
            /** @description The policies, or versions of one. */
            policies: components["schemas"]["Policy"][];
        };
        /**
         * @example {
         *       "name": "payment",
         *       "source": "api",
         *       "version": 3,
         *       "policy": {
         *         "max_attempts": 5,
         *         "backoff": {
         *           "kind": "exponential",
         *           "initial": "1s",
         *           "max": "1m"
         *         }
         *       },
         *       "attempts": 5,
         *       "actor": "token k3v7a2bc (deploy)",
         *       "updated_at": "2026-03-01T09:00:00Z"
         *     }
         */
        Policy: {
            /** @description Who made this version; not told to tokens for certain queues. */
            actor?: string;
            /**
             * Format: int64
             * @description Absent for unlimited attempts.
             */
            attempts?: number;
            /** @description Absent of a version that holds for all tasks. */
            canary?: components["schemas"]["PolicyCanary"];
            /** @description Whether a put changes anything. */
            changed?: boolean;
            /** @description Nothing was changed. */
            dry_run?: boolean;
            /** @description Name of the policy. */
            name: string;
            /** @description The keys of the policy; absent of a version that is a deletion. */
            policy?: unknown;
            /** @description A preset of the name exists. */
            preset?: boolean;
            /**
             * @description file: the configuration file owns it, and it can be changed only there.
             * @enum {string}
             */
            source: "preset" | "file" | "api";
            /** @description The schedule in words. */
            summary?: string;
            /**
             * Format: date-time
             * @description When this version was made; absent of a preset.
             */
            updated_at?: string;
            /** @description Queues and types that name it. */
            used_by?: string[];
            /**
             * Format: int64
             * @description Raised by every change; 1 for presets.
             */
            version: number;
            /** @description What is probably not meant. */
            warnings?: components["schemas"]["PlanWarning"][];
        };
        PolicyCanary: {
            /** @description The keys of the version that holds for the rest. */
            base: unknown;
            /**
             * Format: int64
             * @description The version that holds for the rest.
             */
            base_version: number;
            /** @description Of the tasks for which it holds, such as 10%. */
            share: string;
            /**
             * Format: int64
             * @description The version that is tried.
             */
            version: number;
        };
        PolicyDeleted: {
            /** @description The policy is gone, or would be. */
            deleted: boolean;
            /** @description Nothing was changed. */
            dry_run?: boolean;
        };
        /**
         * @example {
         *       "max_attempts": 5,
         *       "backoff": {
         *         "kind": "exponential",
         *         "initial": "1s",
         *         "max": "1m"
         *       },
         *       "timeout": "10s",
         *       "ttl": "24h"
         *     }
         */
        PolicyForm: {
            /** @description When to tell people about tasks of the policy: {when, channels, cooldown}. */
            alert?: unknown;
            /** @description kind, initial, multiplier, max, step, steps, jitter. */
            backoff?: unknown;
            /** @description The circuit breaker of the target, or none: failure_rate, min_calls, window, open_for and the like. */
            breaker?: unknown;
            /** @description The retry budget of the target, or none: ratio, floor, burst, pressure. */
            budget?: unknown;
            /** @description The share of the tasks for which this version holds, such as "10%" or 10, above 0 to 100; the version before holds for the rest. */
            canary?: unknown;
            /** @description The task that follows a dead one: type, queue, policy, payload, target. */
            fallback?: unknown;
            /**
             * Format: go-duration
             * @description Wait before the first attempt; none when absent.
             */
            first_run_after?: string;
            /**
             * Format: int64
             * @description The first attempt counts; 1 turns retries off.
             */
            max_attempts?: number;
            /**
             * Format: int64
             * @description How many runs may be lost before the task dies as crash_loop.
             */
            max_crashes?: number;
            /** @description Categories, error types and codes that are never retried; these win over retry_on. */
            never_on?: unknown;
            /**
             * @description What becomes of the tasks of an ordering key behind a dead one.
             * @enum {string}
             */
            order_on_dead?: "block" | "skip" | "park";
            /** @description Name of a preset; the other keys override it. */
            preset?: string;
            /** @description Categories, error types and codes that are retried beyond the usual. */
            retry_on?: unknown;
            /** @description The first that matches decides; when is a list of categories or an expression in CEL. */
            rules?: unknown;
            /**
             * Format: go-duration
             * @description Limit of each attempt.
             */
            timeout?: string;
            /**
             * Format: go-duration
             * @description Limit of all attempts and waits together.
             */
            ttl?: string;
            /** @description No limit of attempts. */
            unlimited?: boolean;
        };
        /**
         * @example {
         *       "worker": "invoices-1",
         *       "queues": [
         *         "billing"
         *       ],
         *       "types": [
         *         "invoice"
         *       ],
         *       "max": 10,
         *       "wait": "30s",
         *       "lease": "30s"
         *     }
         */
        Poll: {
            /**
             * Format: go-duration
             * @description How long the tasks are the worker's unless it extends that, 1s to 1h; 30s when absent.
             */
            lease?: string;
            /**
             * Format: int64
             * @description Tasks at most, 1 to 1000, 1 when absent.
             */
            max?: number;
            /** @description default when absent. */
            queues?: string[];
            /** @description Release of the worker, at most 64 bytes without control characters: attempts and statistics name it instead of the node's. */
            release?: string;
            /** @description What the worker can start. All types but HTTP requests when absent. */
            types?: string[];
            /**
             * Format: go-duration
             * @description How long to wait for the first one, at most 60s; 0s asks for what is due now.
             */
            wait?: string;
            /** @description Name of the worker, 1 to 128 of the characters A-Z a-z 0-9 . _ : -; each process has its own. */
            worker: string;
        };
        Polled: {
            /** @description The tasks, in the order in which they are to start. */
            tasks: components["schemas"]["LeasedTask"][];
        };
        /**
         * @example {
         *       "status": 400,
         *       "title": "The request is not valid",
         *       "detail": "delay must not be negative",
         *       "code": "invalid",
         *       "errors": [
         *         {
         *           "path": "delay",
         *           "message": "must not be negative"
         *         }
         *       ],
         *       "hint": "the fields and their forms are listed at /openapi.json"
         *     }
         */
        Problem: {
            /** @description Stable name of the problem. New ones may come. */
            code: string;
            /** @description What is wrong this time, for people. */
            detail?: string;
            /** @description What is wrong where in the request. */
            errors?: components["schemas"]["Field"][];
            /**
             * Format: uuid
             * @description The task in the way.
             */
            existing?: string;
            /** @description What to do about it, for people. */
            hint?: string;
            /**
             * Format: go-duration
             * @description When to come back.
             */
            retry_after?: string;
            /** @description Of the task or operation, where its state is the problem. */
            state?: string;
            /**
             * Format: int64
             * @description The HTTP status.
             */
            status: number;
            /** @description What the code means, the same for every occurrence. */
            title: string;
        };
        /**
         * @example {
         *       "filter": {
         *         "type": "invoice",
         *         "died_before": "2026-02-01T00:00:00Z"
         *       },
         *       "dry_run": true
         *     }
         */
        Purge: {
            /** @description Only count. */
            dry_run?: boolean;
            /** @description Which dead letters; an empty object means all. */
            filter?: components["schemas"]["DeadFilter"];
            /** @description Ids of dead letters, at most 10000. Either this or filter is required. */
            ids?: string[];
        };
        Purged: {
            /**
             * Format: date-time
             * @description Of a dry run by filter: when it began to count. Give it as the filter's died_before, and no letters are meant that died since.
             */
            died_before?: string;
            /** @description Nothing was deleted. */
            dry_run?: boolean;
            /**
             * Format: int64
             * @description Letters that were deleted, or would be.
             */
            matched: number;
        };
        /**
         * @example {
         *       "name": "billing",
         *       "lanes": 8,
         *       "paused": false,
         *       "policy": "payment",
         *       "unknown_type": "park",
         *       "concurrency": 0,
         *       "max_pending": 100000,
         *       "weight": 1,
         *       "updated_at": "2026-03-01T09:00:00Z",
         *       "counts": {
         *         "pending": 12,
         *         "parked": 0,
         *         "running": 3,
         *         "dead": 1
         *       }
         *     }
         */
        Queue: {
            /**
             * Format: int64
             * @description Running tasks over all nodes, 0 for no limit.
             */
            concurrency: number;
            /** @description Over all nodes, counted no further than 10 000 each. */
            counts?: components["schemas"]["QueueCounts"];
            /**
             * Format: int64
             * @description Slices of the queue, 1 to 256.
             */
            lanes: number;
            /**
             * Format: int64
             * @description Pending tasks beyond which enqueues are refused with 429, 0 for no limit.
             */
            max_pending: number;
            /** @description Name of the queue. */
            name: string;
            /**
             * Format: go-duration
             * @description How long the oldest pending task has been due; absent where none is.
             */
            oldest_due?: string;
            /** @description Nothing of it starts. */
            paused: boolean;
            /** @description Name of the retry policy of tasks that name none; absent for the default policy. */
            policy?: string;
            /** @description What happened in the last five minutes, over all nodes; absent where that is not known. */
            recent?: components["schemas"]["SeriesPoint"];
            /** @description Limits of each share key; absent for none. */
            shares?: components["schemas"]["ShareLimits"];
            /**
             * @description What becomes of tasks that nothing can start.
             * @enum {string}
             */
            unknown_type: "park" | "dead";
            /**
             * Format: date-time
             * @description When it was changed last; absent of a queue that nobody changed.
             */
            updated_at?: string;
            /**
             * Format: int64
             * @description Share of a node's slots against other queues.
             */
            weight: number;
        };
        /**
         * @example {
         *       "concurrency": 20,
         *       "max_pending": 100000,
         *       "shares": {
         *         "rate": "50/s"
         *       }
         *     }
         */
        QueueChange: {
            /**
             * Format: int64
             * @description Running tasks over all nodes, 0 for no limit.
             */
            concurrency?: number;
            /**
             * Format: int64
             * @description 1 to 256, 8 in a new queue; can only be raised.
             */
            lanes?: number;
            /**
             * Format: int64
             * @description Pending tasks beyond which enqueues are refused with 429, 0 for no limit.
             */
            max_pending?: number;
            /** @description Name of the retry policy of tasks that name none; empty for the default policy. */
            policy?: string;
            /** @description Limits of each share key. */
            shares?: components["schemas"]["ShareLimitsChange"];
            /**
             * @description What becomes of tasks that nothing can start; park in a new queue.
             * @enum {string}
             */
            unknown_type?: "park" | "dead";
            /**
             * Format: int64
             * @description Share of a node's slots against other queues, 1 when 0.
             */
            weight?: number;
        };
        QueueCounts: {
            /**
             * Format: int64
             * @description Dead letters.
             */
            dead: number;
            /**
             * Format: int64
             * @description Pending tasks behind ordering keys that dead letters hold in mode park: they are no backlog.
             */
            parked: number;
            /**
             * Format: int64
             * @description Without the parked ones.
             */
            pending: number;
            /**
             * Format: int64
             * @description Running tasks.
             */
            running: number;
        };
        QueueShare: {
            /**
             * Format: int64
             * @description All in memory, whenever they are due, running ones included.
             */
            known: number;
            /** @description More of them wait on disk. */
            more?: boolean;
            /**
             * Format: date-time
             * @description When the rate of the key lets something start again.
             */
            next_check?: string;
            /**
             * Format: int64
             * @description Due and not running, of those in memory.
             */
            ready: number;
            /**
             * Format: int64
             * @description On this node.
             */
            running: number;
            /** @description Empty for the tasks without one. */
            share_key: string;
            /** @description share limit where a limit of the key lets nothing start. */
            waiting?: string;
        };
        QueueShares: {
            /** @description Who tells: each node knows the tasks of its own lanes. */
            node: string;
            /** @description Name of the queue. */
            queue: string;
            /** @description The share keys. */
            shares: components["schemas"]["QueueShare"][];
            /**
             * Format: int64
             * @description Share keys of which this node has tasks.
             */
            total: number;
        };
        QueueStats: {
            /** @description Each counted no further than 10000. */
            counts: components["schemas"]["QueueCounts"];
            /** @description Name of the queue. */
            name: string;
            /** @description Nothing of it starts. */
            paused: boolean;
        };
        Queues: {
            /** @description The queues, by name. */
            queues: components["schemas"]["Queue"][];
        };
        /**
         * @example {
         *       "filter": {
         *         "type": "invoice",
         *         "reason": "exhausted"
         *       },
         *       "rate": 20,
         *       "canary": 3,
         *       "stop_if_failing": 0.2
         *     }
         */
        Redrive: {
            /**
             * Format: int64
             * @description How many letters go first, at most 1000; the others follow when all of these have succeeded. If one dies again the operation fails; if some have not ended after 10 minutes it pauses.
             */
            canary?: number;
            /** @description Only count. */
            dry_run?: boolean;
            /** @description Which dead letters; an empty object means all. */
            filter?: components["schemas"]["DeadFilter"];
            /** @description Ids of dead letters, at most 10000. Either this or filter is required. */
            ids?: string[];
            /** @description Go on counting attempts instead of starting again: each letter has the attempts that its policy leaves, and one more when all are spent. */
            keep_attempts?: boolean;
            /** @description Replaces the payload of each letter. */
            payload?: unknown;
            /**
             * Format: double
             * @description Letters per second; 0 for all at once.
             */
            rate?: number;
            /**
             * Format: double
             * @description A share, 0 to 1: the operation fails when more than this share of the letters redriven last has failed again, once 10 have an outcome; 0 for none. No more letters are without an outcome at a time than have one, 10 to 1000.
             */
            stop_if_failing?: number;
        };
        RedriveSample: {
            /** @description Since its death, such as 2h15m. */
            age: string;
            /** @description Of its last error. */
            category?: string;
            /**
             * Format: date-time
             * @description When it died.
             */
            died_at: string;
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /** @description Ordering key of the task. */
            key?: string;
            /** @description Of its last error. */
            message?: string;
            /** @description Queue of the task. */
            queue: string;
            /**
             * @description Why it died.
             * @enum {string}
             */
            reason: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected";
            /** @description Type of the task. */
            type: string;
        };
        RedriveWarning: {
            /** @description died_again: letters were redriven before, and died again with the same fingerprint. permanent: letters died of a permanent failure, and no release, policy or target is known to have changed since. breaker_open: the breaker of a target is open, and its letters would wait. New ones may come. */
            code: string;
            /**
             * Format: int64
             * @description Letters to which it applies, of those that were looked at.
             */
            letters: number;
            /**
             * Format: int64
             * @description How many letters were looked at: the newest that match. For breaker_open those that a trend counts, for the others at most 20.
             */
            of: number;
            /** @description Of breaker_open: the target. */
            target?: string;
        };
        /**
         * @example {
         *       "operation": "01990a31-0f42-7a9b-8d21-c4e5f60718a9",
         *       "matched": 1200
         *     }
         */
        Redriven: {
            /**
             * Format: date-time
             * @description Of a dry run by filter: when it began to count. Give it as the filter's died_before, and no letters are meant that died since.
             */
            died_before?: string;
            /** @description Nothing was changed. */
            dry_run?: boolean;
            /**
             * Format: int64
             * @description Letters that are meant.
             */
            matched: number;
            /** @description Ids that are not dead letters. */
            missing?: string[];
            /** @description Id to follow under /v1/operations; empty when the redrive is already complete or was a dry run. */
            operation: string;
            /** @description Of a dry run, the letters that would go first, at most 10. */
            sample?: components["schemas"]["RedriveSample"][];
            /** @description Of a dry run, what speaks against the redrive now. */
            warnings?: components["schemas"]["RedriveWarning"][];
        };
        RemoteWorker: {
            /**
             * Format: int64
             * @description Tasks that living nodes have leased to it and that have not ended. Absent for a token for certain queues, since they are of all.
             */
            in_hand?: number;
            /**
             * Format: date-time
             * @description When it waited for tasks last.
             */
            last_poll: string;
            /** @description The first of these tasks, at most 20, the earliest end of a lease first. */
            leases: components["schemas"]["WorkerLease"][];
            /** @description The name under which it polls. */
            name: string;
            /** @description Ids of the nodes that it polls, or has leases of. */
            nodes: string[];
            /** @description Queues whose tasks it asks for. */
            queues: string[];
            /** @description Release that it told in its last poll. */
            release?: string;
            /**
             * Format: date-time
             * @description When it began to poll. After a minute of silence that begins anew.
             */
            since: string;
            /** @description Types that it asks for; * stands for every one but HTTP requests. */
            types: string[];
            /** @description It waits for tasks now. */
            waiting: boolean;
        };
        RemoteWorkers: {
            /** @description Due tasks that no living node or worker can run, a row for each type of a queue, at most 50, the oldest first. */
            stranded: components["schemas"]["StrandedTasks"][];
            /**
             * Format: int64
             * @description How many rows more there are.
             */
            stranded_more?: number;
            /**
             * Format: int64
             * @description How many there are, also beyond the limit. One that several nodes know may count more than once where a node knows more than 200.
             */
            total: number;
            /** @description The workers by name. */
            workers: components["schemas"]["RemoteWorker"][];
        };
        /**
         * @example {
         *       "delay": "10m"
         *     }
         */
        Reschedule: {
            /**
             * Format: go-duration
             * @description The same, counted from now. Required without run_at.
             */
            delay?: string;
            /**
             * Format: date-time
             * @description Not before this time. Required without delay.
             */
            run_at?: string;
        };
        /**
         * @example {
         *       "name": "invoices_die",
         *       "on": "dead",
         *       "when": "type == \"invoice\" && attempt >= 3",
         *       "channels": [
         *         "oncall"
         *       ],
         *       "cooldown": "10m",
         *       "severity": "critical"
         *     }
         */
        Rule: {
            /** @description Who is told; the default channels when absent. */
            channels?: string[];
            /**
             * Format: go-duration
             * @description How long further alerts about the same subject are held back; 5m when absent, 0s for none.
             */
            cooldown?: string;
            /**
             * Format: go-duration
             * @description How long alerts about a subject are collected before the first message; 0s when absent.
             */
            digest?: string;
            /** @description The rule is off. */
            disabled?: boolean;
            /**
             * Format: go-duration
             * @description How long the condition of an aggregate must have held; 0s when absent.
             */
            for?: string;
            /** @description 1 to 64 of the characters A-Z a-z 0-9 . _ -; that of the path when absent. A rule with the name of a built-in one replaces it. */
            name?: string;
            /**
             * @description What the rule looks at: events, from dead to schedule, or aggregates, from letters to change, which hold or do not.
             * @enum {string}
             */
            on: "dead" | "retry" | "crash" | "process" | "resources" | "breaker" | "redrive" | "schedule" | "letters" | "queue" | "target" | "type" | "category" | "group" | "blocked" | "key" | "change";
            /** @description Whether the end of an alert of an aggregate is told; true when absent. */
            recovery?: boolean;
            /**
             * @description How bad it is; warning when absent.
             * @enum {string}
             */
            severity?: "info" | "warning" | "critical";
            /** @description Condition in CEL, always when absent. */
            when?: string;
        };
        /**
         * @example {
         *       "name": "nightly-report",
         *       "cron": "0 3 * * *",
         *       "zone": "Asia/Shanghai",
         *       "overlap": "skip",
         *       "task": {
         *         "type": "report"
         *       },
         *       "paused": false,
         *       "next": "2026-03-01T19:00:00Z",
         *       "waiting": 0,
         *       "fired": 41,
         *       "missed": 0,
         *       "skipped": 0,
         *       "version": 2,
         *       "updated_at": "2026-01-18T08:00:00Z"
         *     }
         */
        Schedule: {
            /**
             * Format: date-time
             * @description The only tick.
             */
            at?: string;
            /**
             * @description Five fields (minute, hour, day of month, month, day of week), or six with seconds first.
             * @example 0 3 * * *
             */
            cron?: string;
            /**
             * Format: go-duration
             * @description An interval of at least 1s: ticks are its multiples after start.
             */
            every?: string;
            /**
             * Format: int64
             * @description Ticks enqueued so far.
             */
            fired: number;
            /**
             * Format: date-time
             * @description The last tick that was enqueued.
             */
            last?: string;
            /**
             * Format: uuid
             * @description The task of the last tick, or of a later trigger.
             */
            last_task?: string;
            /** @description file, where the configuration file owns it; code, where the code of an application does while it runs. */
            managed?: string;
            /**
             * @description What becomes of ticks more than 10s late: skip (left out), fire_once (the last one runs for all; the default), fire_all (each runs that is not older than window).
             * @enum {string}
             */
            misfire?: "skip" | "fire_once" | "fire_all";
            /**
             * Format: int64
             * @description Ticks left out for their lateness.
             */
            missed: number;
            /** @description Name of the schedule. */
            name: string;
            /**
             * Format: date-time
             * @description The next tick. Absent when there is none, or while the schedule is paused.
             */
            next?: string;
            /**
             * @description What a tick does while the last task is pending or running: allow (the default), skip, replace (cancel that one), queue (wait for its end).
             * @enum {string}
             */
            overlap?: "allow" | "skip" | "replace" | "queue";
            /** @description It does not fire. */
            paused: boolean;
            /**
             * Format: int64
             * @description Ticks left out for overlap.
             */
            skipped: number;
            /**
             * Format: date-time
             * @description Of every; the beginning of 1970 in UTC when absent, so that 15m is at :00, :15, :30 and :45.
             */
            start?: string;
            /** @description What each tick enqueues. */
            task: components["schemas"]["ScheduledTask"];
            /**
             * Format: date-time
             * @description When the rule was changed last.
             */
            updated_at: string;
            /**
             * Format: int64
             * @description Of the rule.
             */
            version: number;
            /**
             * Format: int64
             * @description Ticks that wait for the end of the last task.
             */
            waiting: number;
            /**
             * Format: go-duration
             * @description Of fire_all: how old a tick can be, 1h when absent, at most 744h.
             */
            window?: string;
            /**
             * @description IANA time zone of cron, UTC when absent.
             * @example Asia/Shanghai
             */
            zone?: string;
        };
        /**
         * @example {
         *       "cron": "0 3 * * *",
         *       "zone": "Asia/Shanghai",
         *       "overlap": "skip",
         *       "task": {
         *         "type": "report",
         *         "queue": "reports",
         *         "payload": {
         *           "kind": "daily"
         *         }
         *       }
         *     }
         */
        ScheduleRule: {
            /**
             * Format: date-time
             * @description The only tick.
             */
            at?: string;
            /**
             * @description Five fields (minute, hour, day of month, month, day of week), or six with seconds first.
             * @example 0 3 * * *
             */
            cron?: string;
            /**
             * Format: go-duration
             * @description An interval of at least 1s: ticks are its multiples after start.
             */
            every?: string;
            /**
             * @description What becomes of ticks more than 10s late: skip (left out), fire_once (the last one runs for all; the default), fire_all (each runs that is not older than window).
             * @enum {string}
             */
            misfire?: "skip" | "fire_once" | "fire_all";
            /**
             * @description What a tick does while the last task is pending or running: allow (the default), skip, replace (cancel that one), queue (wait for its end).
             * @enum {string}
             */
            overlap?: "allow" | "skip" | "replace" | "queue";
            /**
             * Format: date-time
             * @description Of every; the beginning of 1970 in UTC when absent, so that 15m is at :00, :15, :30 and :45.
             */
            start?: string;
            /** @description What each tick enqueues. */
            task: components["schemas"]["ScheduledTask"];
            /**
             * Format: go-duration
             * @description Of fire_all: how old a tick can be, 1h when absent, at most 744h.
             */
            window?: string;
            /**
             * @description IANA time zone of cron, UTC when absent.
             * @example Asia/Shanghai
             */
            zone?: string;
        };
        ScheduledTask: {
            /** @description Enqueued in the transaction in which the task dies. */
            fallback?: components["schemas"]["Follow"];
            /** @description Ordering key. */
            key?: string;
            /**
             * Format: int64
             * @description Overrides the policy; the first attempt counts.
             */
            max_attempts?: number;
            /** @description Free labels; outlast.schedule and outlast.tick are added. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Enqueued in the transaction in which the task dies. */
            on_dead?: components["schemas"]["Follow"];
            /** @description Enqueued in the transaction in which the task succeeds. */
            on_success?: components["schemas"]["Follow"];
            /** @description Any JSON value; its tokens are kept as they are written, the space between them is not. */
            payload?: unknown;
            /** @description Name of a retry policy. */
            policy?: string;
            /**
             * Format: int64
             * @description 0 (lowest) to 9, 5 when absent.
             */
            priority?: number;
            /** @description Defaults to default. */
            queue?: string;
            /** @description Inline retry policy; replaces the named one whole. */
            retry?: unknown;
            /** @description Share key: starts of a queue go round them. */
            share_key?: string;
            /** @description The HTTP request to make. */
            target?: components["schemas"]["Target"];
            /**
             * Format: go-duration
             * @description Limit of each attempt.
             */
            timeout?: string;
            /**
             * Format: go-duration
             * @description Limit of all attempts together, from the moment the tick was enqueued.
             */
            ttl?: string;
            /** @description What kind of task this is. Defaults to http when target.url is given. */
            type?: string;
        };
        Schedules: {
            /** @description The schedules, by name. */
            schedules: components["schemas"]["Schedule"][];
        };
        Self: {
            /** @description No token is needed: everybody who reaches the server may do everything. */
            open: boolean;
            /** @description As x-permission of the calls. */
            permissions: ("known" | "follow" | "view" | "enqueue" | "work" | "operate" | "administer")[];
            /** @description That the token is for; all when empty. */
            queues: string[];
            /**
             * @description Role of the token; absent where none is needed.
             * @enum {string}
             */
            role?: "viewer" | "operator" | "admin" | "enqueuer" | "worker";
            /** @description The server that answers. */
            server: components["schemas"]["SelfServer"];
            /** @description null where none is needed. */
            token: components["schemas"]["SelfToken"] | null;
        };
        SelfSafety: {
            /** @description What can be lost at worst. */
            loss: string;
            /**
             * @description As outlast_data_safety of the metrics.
             * @enum {string}
             */
            mode: "full" | "server" | "none";
        };
        SelfServer: {
            /** @description Id of the node. */
            node: string;
            /** @description Of the application. */
            release?: string;
            /** @description What becomes of an acknowledged task when the machine fails. */
            safety: components["schemas"]["SelfSafety"];
            /**
             * Format: date-time
             * @description When the server started.
             */
            started_at?: string;
            /** @description The kind of the store. */
            store?: string;
            /**
             * Format: date-time
             * @description By the clock of the server.
             */
            time: string;
            /** @description Version of the program. */
            version: string;
        };
        SelfToken: {
            /**
             * Format: date-time
             * @description Absent for one that does not.
             */
            expires_at?: string;
            /** @description Id of the token. */
            id: string;
            /** @description Who or what bears it. */
            name: string;
            /** @description What its text begins with. */
            prefix: string;
        };
        Series: {
            /**
             * Format: date-time
             * @description The beginning of the first step.
             */
            from: string;
            /** @description The points, the oldest first. */
            points: components["schemas"]["SeriesPoint"][];
            /** @description Empty for all, or all that the token is for. */
            queue: string;
            /**
             * @description Steps below a minute are of the memory of the node that answers.
             * @enum {string}
             */
            source: "all nodes" | "this node";
            /**
             * Format: go-duration
             * @description Time from one point to the next.
             */
            step: string;
            /**
             * Format: date-time
             * @description The end of the last step.
             */
            to: string;
        };
        SeriesBacklog: {
            /**
             * Format: int64
             * @description Those of them that were due in the memory of nodes: at least so many.
             */
            due: number;
            /**
             * Format: go-duration
             * @description How long the oldest had been due.
             */
            oldest_due: string;
            /**
             * Format: int64
             * @description Pending tasks, each queue counted no further than 10000.
             */
            pending: number;
            /**
             * Format: int64
             * @description The others: their time had not come, or a shut gate held them on disk.
             */
            waiting: number;
        };
        SeriesFinished: {
            /**
             * Format: double
             * @description Tasks that were canceled.
             */
            canceled: number;
            /**
             * Format: double
             * @description Tasks that died.
             */
            dead: number;
            /**
             * Format: double
             * @description Tasks that succeeded.
             */
            succeeded: number;
        };
        SeriesPercentiles: {
            /**
             * Format: go-duration
             * @description Half took no longer.
             */
            p50: string;
            /**
             * Format: go-duration
             * @description 95 of 100 took no longer.
             */
            p95: string;
            /**
             * Format: go-duration
             * @description 99 of 100 took no longer.
             */
            p99: string;
        };
        SeriesPoint: {
            /**
             * Format: date-time
             * @description The beginning of the step.
             */
            at: string;
            /**
             * Format: double
             * @description Attempts that ended, per second.
             */
            attempts: number | null;
            /** @description Null where nobody looked. */
            backlog: components["schemas"]["SeriesBacklog"] | null;
            /**
             * Format: double
             * @description Those of them that failed, per second.
             */
            failed: number | null;
            /** @description Tasks that ended, per second. */
            finished: components["schemas"]["SeriesFinished"] | null;
            /**
             * Format: int64
             * @description That counted; 0 is a gap, and everything else is null.
             */
            nodes: number;
            /**
             * Format: double
             * @description Share of the attempts that were not the first of their task; null without attempts.
             */
            retry_rate: number | null;
            /** @description How long attempts ran; null without attempts. */
            run: components["schemas"]["SeriesPercentiles"] | null;
            /** @description From when an attempt was due to its start; null without attempts. */
            wait: components["schemas"]["SeriesPercentiles"] | null;
        };
        SettleResult: {
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /**
             * @description What the task is now.
             * @enum {string}
             */
            state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * @description ok: it is on disk. stale_claim, not_found: the task is not this worker's any more, and the result is not kept.
             * @enum {string}
             */
            status: "ok" | "stale_claim" | "not_found";
        };
        /**
         * @example {
         *       "results": [
         *         {
         *           "id": "01990a2e-4b7c-7d10-9c55-6f0e8a13a2b1",
         *           "claim": 3,
         *           "outcome": "succeeded",
         *           "result": {
         *             "invoice": "2026-0815"
         *           }
         *         },
         *         {
         *           "id": "01990a2e-4b7d-7e02-8a10-2b9f47c6d0e3",
         *           "claim": 1,
         *           "outcome": "failed",
         *           "error": {
         *             "message": "connection reset",
         *             "category": "network"
         *           }
         *         }
         *       ]
         *     }
         */
        SettleTasks: {
            /** @description 1 to 1000 results. */
            results: components["schemas"]["TaskResult"][];
        };
        Settled: {
            /** @description One result per attempt, in the same order. */
            results: components["schemas"]["SettleResult"][];
        };
        ShareLimits: {
            /**
             * Format: int64
             * @description Running tasks of each share key over all nodes, 0 for no limit.
             */
            concurrency?: number;
            /**
             * @description Starts of each share key over all nodes, such as 50/s, 100/m or 1000/h; absent for no limit.
             * @example 50/s
             */
            rate?: string;
        };
        ShareLimitsChange: {
            /**
             * Format: int64
             * @description Running tasks of each share key over all nodes, 0 for no limit.
             */
            concurrency?: number;
            /** @description Starts of each share key over all nodes, such as 50/s, 100/m or 1000/h; empty for no limit. */
            rate?: string;
        };
        Signaled: {
            /**
             * Format: date-time
             * @description When the signal came that stands.
             */
            at: string;
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /** @description Name of the signal. */
            name: string;
            /** @description It was there before, with the same payload. */
            repeated?: boolean;
            /**
             * @description What the task is.
             * @enum {string}
             */
            state: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /** @description The task waited for it, and is due now. */
            woken?: boolean;
        };
        SimComparison: {
            /**
             * Format: date-time
             * @description Of recorded tasks: when the first attempt began.
             */
            begin?: string;
            /**
             * Format: int64
             * @description Events of the simulation.
             */
            events: number;
            /**
             * Format: double
             * @description When the fault begins, in seconds.
             */
            fault_from_s: number;
            /**
             * Format: double
             * @description When the fault ends, in seconds.
             */
            fault_to_s: number;
            /** @description Name of the scenario. */
            name: string;
            /** @description The numbers that the scenario fixes. */
            parameters?: components["schemas"]["SimParameter"][];
            /** @description Id of the scenario; absent of recorded tasks. */
            scenario?: string;
            /**
             * Format: int64
             * @description Of the random numbers.
             */
            seed: number;
            /** @description What the scenario shows, in a sentence. */
            shows?: string;
            /** @description What each policy measured. */
            variants: components["schemas"]["SimVariant"][];
        };
        /**
         * @example {
         *       "scenario": "S4",
         *       "policies": [
         *         {
         *           "preset": "transient"
         *         },
         *         {
         *           "policy": {
         *             "max_attempts": 3
         *           }
         *         }
         *       ]
         *     }
         */
        SimContest: {
            /** @description At most 4. With fewer than two, our own clients and the main control come first. */
            policies?: components["schemas"]["SimPolicy"][];
            /** @description Id of a scenario: S4. */
            scenario: string;
            /**
             * Format: int64
             * @description Of the random numbers, 1 when absent.
             */
            seed?: number;
        };
        SimCount: {
            /**
             * Format: int64
             * @description How many there were.
             */
            count: number;
            /** @description What was counted. */
            name: string;
        };
        SimFigure: {
            /** @description What it is. */
            name: string;
            /** @description Its unit; absent without one. */
            unit?: string;
            /**
             * Format: double
             * @description The number.
             */
            value: number;
        };
        SimMetrics: {
            /**
             * Format: int64
             * @description Attempts that the server worked on after the client had gone.
             */
            abandoned: number;
            /**
             * Format: double
             * @description Attempts at the server over calls offered.
             */
            amplification: number;
            /**
             * Format: int64
             * @description Attempts that reached the server.
             */
            attempts: number;
            /** @description Calls that ended badly, by reason. */
            denied?: components["schemas"]["SimCount"][];
            /**
             * Format: int64
             * @description Calls that ended badly.
             */
            failed: number;
            /** @description The scenario has a fault. */
            fault: boolean;
            /**
             * Format: int64
             * @description Calls that ended well.
             */
            good: number;
            /**
             * Format: int64
             * @description Attempts at once, at most.
             */
            max_in_flight: number;
            /**
             * Format: int64
             * @description Calls begun.
             */
            offered: number;
            /**
             * Format: double
             * @description Half of the good calls took no longer, in seconds.
             */
            p50_s: number;
            /**
             * Format: double
             * @description 99 of 100 good calls took no longer, in seconds.
             */
            p99_s: number;
            /**
             * Format: double
             * @description The same in the worst ten seconds.
             */
            peak_10s: number;
            /**
             * Format: double
             * @description The same in the worst second.
             */
            peak_1s: number;
            /**
             * Format: double
             * @description Seconds after the fault until 90 % of the calls end well again, and stay so; null if that never happened, or there was no fault.
             */
            recovery_s: number | null;
            /**
             * Format: int64
             * @description Retries among them.
             */
            retries: number;
            /**
             * Format: double
             * @description Share of the ended calls that ended well.
             */
            success: number;
        };
        SimParameter: {
            /** @description What it is. */
            name: string;
            /** @description Its value, with the unit. */
            value: string;
        };
        SimPolicy: {
            /** @description A policy in the form of the configuration. */
            policy?: unknown;
            /** @description Name of a preset, or of a policy of this server. */
            preset?: string;
        };
        SimReport: {
            /**
             * Format: int64
             * @description Events of the simulation.
             */
            events: number;
            /** @description Name of the scenario. */
            name: string;
            /** @description No verdict failed. */
            passed: boolean;
            /** @description Id of the scenario. */
            scenario: string;
            /**
             * Format: int64
             * @description Of the random numbers.
             */
            seed: number;
            /** @description What each kind of client measured. */
            variants: components["schemas"]["SimVariant"][];
            /** @description The acceptance numbers. */
            verdicts: components["schemas"]["SimVerdict"][];
        };
        /**
         * @example {
         *       "scenario": "S4",
         *       "seed": 7
         *     }
         */
        SimRun: {
            /** @description A policy in the form of the configuration that does so. */
            policy?: unknown;
            /** @description Name of a preset, or of a policy of this server, that takes the place of our own clients. */
            preset?: string;
            /** @description Id of a scenario: S4. */
            scenario: string;
            /**
             * Format: int64
             * @description Of the random numbers, 1 when absent; the same seed gives the same report.
             */
            seed?: number;
        };
        SimScenario: {
            /** @description Id of the scenario, such as S4. */
            id: string;
            /** @description Name of the scenario. */
            name: string;
            /** @description The numbers that it fixes. */
            parameters: components["schemas"]["SimParameter"][];
            /** @description What it shows, in a sentence. */
            shows: string;
            /** @description Where the storm or its numbers come from. */
            source: string;
        };
        SimScenarios: {
            /** @description The scenarios, in the order of the documentation. */
            scenarios: components["schemas"]["SimScenario"][];
        };
        SimSeries: {
            /** @description Attempts that reached the server, per second. */
            attempts: number[];
            /** @description Calls that ended well, per second. */
            good: number[];
            /** @description Attempts at once, at most. */
            in_flight: number[];
            /** @description Calls begun per second. */
            offered: number[];
            /** @description Half of the good calls took no longer, in seconds; 0 where there are none. */
            p50_s: number[];
            /** @description 99 of 100 good calls took no longer, in seconds; 0 where there are none. */
            p99_s: number[];
            /**
             * Format: double
             * @description Seconds from one value to the next.
             */
            step_s: number;
        };
        SimVariant: {
            /** @description Theory says that it must fail. */
            control?: boolean;
            /** @description Numbers of this scenario. */
            figures?: components["schemas"]["SimFigure"][];
            /** @description The numbers that every run has. */
            metrics: components["schemas"]["SimMetrics"];
            /** @description Name of the kind of client. */
            name: string;
            /** @description The run over time. */
            series?: components["schemas"]["SimSeries"];
        };
        SimVerdict: {
            /** @description What it must be. */
            bound: string;
            /** @description What it was. */
            measured: string;
            /** @description What is measured. */
            name: string;
            /** @description It was kept. */
            ok: boolean;
        };
        Stats: {
            /**
             * Format: date-time
             * @description When the node that answers has read the nodes from the store.
             */
            as_of: string;
            /** @description Dead letters of all queues. */
            dead: components["schemas"]["DeadStats"];
            /**
             * Format: int64
             * @description Living ones.
             */
            nodes: number;
            /**
             * Format: go-duration
             * @description For how long the oldest pending task has been due.
             */
            oldest_due: string;
            /** @description By name. */
            queues: components["schemas"]["QueueStats"][];
            /**
             * Format: int64
             * @description Due tasks in the memory of the node that answers, and those of all nodes that are set aside, since nobody can start them now: no living node starts their type, their target is down, their key is blocked. Of each queue counted to 10000.
             */
            ready: number;
            /**
             * Format: int64
             * @description Attempts in progress, at the last beats of the living nodes.
             */
            running: number;
            /**
             * Format: int64
             * @description Tasks in the memory of the node that answers that are not due.
             */
            scheduled: number;
            /**
             * Format: int64
             * @description Attempts at most, of the living nodes.
             */
            slots: number;
        };
        StatsComparison: {
            /**
             * Format: int64
             * @description Number of the attempt; 5 stands for all from the fifth on.
             */
            attempt: number;
            /** @description Absent where there is nothing before. */
            from?: components["schemas"]["StatsSide"];
            /** @description How many times as long the later side takes: 1.5 is half as long again. */
            growth: components["schemas"]["StatsGrowth"];
            /** @description The later side. */
            to: components["schemas"]["StatsSide"];
            /** @description Type of the tasks. */
            type: string;
        };
        StatsComparisons: {
            /**
             * @description What is compared.
             * @enum {string}
             */
            by: "release" | "policy_version";
            /** @description By type and number of the attempt. */
            comparisons: components["schemas"]["StatsComparison"][];
        };
        StatsGrowth: {
            /**
             * Format: double
             * @description Of the delay that half of the attempts did not exceed.
             */
            delay_p50?: number;
            /**
             * Format: double
             * @description Of the delay that 99 of 100 did not exceed.
             */
            delay_p99?: number;
            /**
             * Format: double
             * @description Of the time that half of the attempts ran no longer.
             */
            p50?: number;
            /**
             * Format: double
             * @description Of the time that 99 of 100 ran no longer.
             */
            p99?: number;
        };
        StatsSide: {
            /**
             * Format: int64
             * @description Attempts.
             */
            count: number;
            /**
             * Format: go-duration
             * @description Half of the attempts started no later after they were due.
             */
            delay_p50: string;
            /**
             * Format: go-duration
             * @description 99 of 100 attempts started no later after they were due.
             */
            delay_p99: string;
            /**
             * Format: int64
             * @description Those of them that did not succeed.
             */
            failed: number;
            /** @description The release, (none) where it has no name; or the policy and its version: payment@3. */
            name: string;
            /**
             * Format: go-duration
             * @description Half of the attempts ran no longer.
             */
            p50: string;
            /**
             * Format: go-duration
             * @description 99 of 100 attempts ran no longer.
             */
            p99: string;
            /**
             * Format: date-time
             * @description When it was seen first.
             */
            since: string;
        };
        Step: {
            /**
             * Format: int64
             * @description In which it was done.
             */
            attempt?: number;
            /** @description The task that undoes the step if its own dies. */
            compensation?: components["schemas"]["Compensation"];
            /**
             * Format: date-time
             * @description When it ended.
             */
            ended_at?: string;
            /** @description What the step is called. */
            name: string;
            /**
             * Format: int64
             * @description Of its name in one attempt, from 1; 0 for a signal, which is no step of a handler.
             */
            occurrence: number;
            /** @description What it gave. */
            result?: unknown;
            /**
             * Format: date-time
             * @description When it began, if that is known.
             */
            started_at?: string;
            /** @description That of the result, in the words of the language that made it. await: the handler waits for the signal of the name. Of occurrence 0: signal, whose payload is the result, or timeout, if none came in time. */
            type?: string;
            /** @description The step was undone when its task died before: it is done again. So is a wait for a signal. */
            undone?: boolean;
            /** @description Why the server cannot read what it keeps of the step, such as a missing key. The task runs no further until it can. */
            unreadable?: string;
            /**
             * Format: date-time
             * @description When a durable sleep or a wait for a signal ends.
             */
            until?: string;
        };
        StepResult: {
            /** @description Why the step is not kept; only of status error. */
            error?: components["schemas"]["Error"];
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /** @description Name of the step. */
            name: string;
            /**
             * Format: int64
             * @description Which of the steps of this name it is, from 1.
             */
            occurrence: number;
            /**
             * @description stale_claim, not_found: stop, the task is not this worker's any more, and the step is not kept. error: the step is not kept, error says why.
             * @enum {string}
             */
            status: "ok" | "stale_claim" | "not_found" | "error";
        };
        StrandedTasks: {
            /** @description Queue of the tasks. */
            queue: string;
            /** @description They are HTTP requests, which no living node makes for this queue. */
            requests?: boolean;
            /**
             * Format: date-time
             * @description When the first of them, by order, was due.
             */
            since: string;
            /** @description Type of the tasks; absent where no living node works on the queue. */
            type?: string;
            /**
             * Format: int64
             * @description Pending tasks of the type in the queue, counted to 10000.
             */
            waiting: number;
        };
        Target: {
            /** @description Worker group, instead of url: its member with the least load gets the request. */
            group?: string;
            /** @description A value whose name sounds like a credential (authorization, cookie, token, key, secret, signature, password) is never answered: it says [hidden]. Given back where the policy or the schedule has such a header for the same host, that means the value that is there. */
            headers?: {
                [key: string]: string;
            };
            /** @description POST when absent. */
            method?: string;
            /** @description With group: the path at the member, such as /send. */
            path?: string;
            /** @description Condition in CEL that alone decides whether an answer is a success, whatever its status, over status, headers (the first value of each, by name in lower case) and body (JSON of at most 64 KiB as its value, else the first 64 KiB as a text): body.code == 0. At most 2 KiB. Without it a 2xx is. */
            success?: string;
            /** @description http or https. Required without group. */
            url?: string;
        };
        TargetChange: {
            /**
             * Format: date-time
             * @description When it happened.
             */
            at: string;
            /** @description Id of the node. */
            node: string;
            /**
             * @description What has changed.
             * @enum {string}
             */
            part: "breaker" | "budget";
            /** @description Why, in a word. */
            reason?: string;
            /**
             * @description Of a breaker closed, open, half_open or ramping; of a budget exhausted or refilled.
             * @enum {string}
             */
            state: "closed" | "open" | "half_open" | "ramping" | "exhausted" | "refilled";
            /**
             * Format: date-time
             * @description When an open breaker probes, or a budget has its next token.
             */
            until?: string;
            /** @description The state before. */
            was?: string;
        };
        TargetHistory: {
            /** @description The changes, newest first. */
            changes: components["schemas"]["TargetChange"][];
        };
        TargetOrder: {
            /**
             * @description open: nothing calls the target. close: calls begin again. reset: what was learned of it was forgotten.
             * @enum {string}
             */
            action: "open" | "close" | "reset";
            /**
             * Format: date-time
             * @description When it was said.
             */
            at: string;
        };
        TargetState: {
            /** @description The circuit breaker. */
            breaker: components["schemas"]["Breaker"];
            /** @description The retry budget. */
            budget: components["schemas"]["Budget"];
            /**
             * Format: date-time
             * @description Until then the target wants no calls: it has refused with a hint.
             */
            held_until?: string;
            /**
             * Format: int64
             * @description Attempts that run.
             */
            in_flight: number;
            /**
             * Format: int64
             * @description Attempts at once.
             */
            limit: number;
            /** @description The host of a request's URL, with a port that is not the scheme's own, as in api.example.com:8443; what its handler has named, as in @stripe; or the type of the task. */
            name: string;
            /** @description What each node knows. Empty of a target that is ordered open while no node knows a task of it: perhaps its name is a typing error. */
            nodes: components["schemas"]["NodeTarget"][];
            /** @description What an operator said last; one to open holds, others are shown for an hour. */
            order?: components["schemas"]["TargetOrder"];
            /** @description The handler of the type wants no guards: only an operator's order holds its tasks. */
            unguarded?: boolean;
            /** @description Due tasks in the memory of the nodes, by what holds them. */
            waiting: components["schemas"]["TargetWaiting"];
        };
        TargetWaiting: {
            /**
             * Format: int64
             * @description The breaker is not closed.
             */
            breaker: number;
            /**
             * Format: int64
             * @description The retry budget is spent.
             */
            budget: number;
            /**
             * Format: int64
             * @description As many attempts run as may at once.
             */
            concurrency: number;
            /**
             * Format: int64
             * @description The target asked for a pause, or recovers.
             */
            rate: number;
        };
        Targets: {
            /** @description The targets, those with something to tell first. */
            targets: components["schemas"]["TargetState"][];
            /**
             * Format: int64
             * @description How many there are, also beyond the limit.
             */
            total: number;
        };
        /**
         * @example {
         *       "id": "01990a2e-4b7c-7d10-9c55-6f0e8a13a2b1",
         *       "type": "invoice",
         *       "queue": "billing",
         *       "state": "pending",
         *       "payload": {
         *         "order": 4711
         *       },
         *       "priority": 5,
         *       "run_at": "2026-03-01T09:30:31.624Z",
         *       "key": "customer-17",
         *       "policy": "payment",
         *       "policy_version": 3,
         *       "max_attempts": 5,
         *       "attempt": 1,
         *       "crashes": 0,
         *       "claim": 1,
         *       "waiting": "backoff",
         *       "created_at": "2026-03-01T09:30:00Z",
         *       "updated_at": "2026-03-01T09:30:30.124Z",
         *       "last_error": {
         *         "category": "timeout",
         *         "effect": "maybe",
         *         "message": "no answer within 30s",
         *         "fingerprint": "5d3b0c9e7a41f208",
         *         "at": "2026-03-01T09:30:30.124Z",
         *         "delay": "1.5s"
         *       }
         *     }
         */
        Task: {
            /** @description When to tell people about this task: {when, channels, cooldown}. */
            alert?: unknown;
            /**
             * Format: int64
             * @description Attempts started and spent.
             */
            attempt: number;
            /** @description Last error of the callback task. */
            callback_error?: string;
            /**
             * @description State of the callback task.
             * @enum {string}
             */
            callback_state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * Format: uuid
             * @description The on_success or on_dead task of this one, where one task is asked for.
             */
            callback_task?: string;
            /** @description Somebody wants the running attempt to stop. */
            cancel_requested?: boolean;
            /**
             * Format: int64
             * @description Grows with every run.
             */
            claim: number;
            /**
             * @description State of the compensation task: when it has succeeded, what undoes the steps is enqueued.
             * @enum {string}
             */
            compensation_state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * Format: uuid
             * @description The task that undoes the steps of this one once it is canceled, where that was asked for and one task is asked for.
             */
            compensation_task?: string;
            /**
             * Format: int64
             * @description Runs that were lost, since their process died or the lease of their worker ended without an answer; they cost no attempt.
             */
            crashes: number;
            /**
             * Format: date-time
             * @description When it was accepted.
             */
            created_at: string;
            /**
             * @description Why it died: the attempts are exhausted, the failure is permanent, the deadline has passed, it killed its process too often, nothing can start it, or it was rejected.
             * @enum {string}
             */
            dead_reason?: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected";
            /**
             * Format: date-time
             * @description For all attempts together.
             */
            deadline?: string;
            /** @description Key under which a repeat of the enqueue is found. */
            dedupe_key?: string;
            /**
             * Format: go-duration
             * @description How long the dedupe key holds.
             */
            dedupe_window?: string;
            /** @description Of a task for a worker group that nobody takes. */
            dispatch?: components["schemas"]["Dispatch"];
            /** @description The task that is enqueued when this one dies. */
            fallback?: components["schemas"]["Follow"];
            /** @description Last error of the fallback task. */
            fallback_error?: string;
            /**
             * @description State of the fallback task, where one task is asked for.
             * @enum {string}
             */
            fallback_state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /**
             * Format: uuid
             * @description The task that was enqueued when this one died.
             */
            fallback_task?: string;
            /**
             * Format: date-time
             * @description When it ended; absent of a task that lives.
             */
            finished_at?: string;
            /**
             * @description As what it follows its parent.
             * @enum {string}
             */
            follows?: "fallback" | "on_success" | "on_dead" | "compensation" | "group";
            /**
             * Format: uuid
             * @description The group of tasks that this one is a member of.
             */
            group?: string;
            /**
             * Format: uuid
             * @description Id of the task, a UUID of version 7.
             */
            id: string;
            /** @description Ordering key: tasks of one key run one at a time. */
            key?: string;
            /** @description Error of the last attempt that failed; absent if none did. */
            last_error?: components["schemas"]["Failure"];
            /**
             * Format: date-time
             * @description When its last attempt that failed ended; of a dead letter when it died.
             */
            last_failed_at?: string;
            /**
             * Format: date-time
             * @description Of a task that a remote worker runs: not extended by then, it runs elsewhere. Told by the node that leased it.
             */
            lease_until?: string;
            /**
             * Format: int64
             * @description What holds for this task, the first attempt included; 0 for unlimited.
             */
            max_attempts: number;
            /** @description Free labels. */
            metadata?: {
                [key: string]: string;
            };
            /** @description The encryption key that nodes lack, of a task that waits for that. */
            missing_key?: string;
            /**
             * Format: date-time
             * @description When it is looked at again why the task waits: the next run, the next probe of an open breaker, the next token of a spent budget. Absent where nobody can know.
             */
            next_check?: string;
            /** @description Who runs it now, or has leased it to a worker. */
            node?: string;
            /** @description The task that is enqueued when this one dies, beside fallback. */
            on_dead?: components["schemas"]["Follow"];
            /** @description The task that is enqueued when this one succeeds. */
            on_success?: components["schemas"]["Follow"];
            /**
             * Format: uuid
             * @description The task that this one follows, or the group of tasks whose callback it is.
             */
            parent?: string;
            /** @description Byte for byte as it was enqueued. Absent when the payload is not JSON, see payload_base64. */
            payload?: unknown;
            /** @description A payload that a Go program enqueued and that is not JSON. */
            payload_base64?: string;
            /** @description Name of its retry policy; absent where its type or queue says which holds. */
            policy?: string;
            /**
             * Format: int64
             * @description Version of the named policy; presets have one, 1. Absent for an inline policy.
             */
            policy_version?: number;
            /**
             * Format: int64
             * @description 0 (lowest) to 9.
             */
            priority: number;
            /** @description Last reported by a Go handler on this node. */
            progress?: unknown;
            /** @description Name of the queue. */
            queue: string;
            /** @description JSON that the attempt that succeeded answered with. */
            result?: unknown;
            /** @description Inline retry policy; absent where it has none. */
            retry?: unknown;
            /**
             * Format: date-time
             * @description Not before this time: of the first attempt or of the next retry.
             */
            run_at: string;
            /** @description Whose the task is: starts of a queue go round the share keys. */
            share_key?: string;
            /**
             * Format: date-time
             * @description When the attempt that runs, or ran last, began.
             */
            started_at?: string;
            /**
             * @description pending: it waits for its time. running: an attempt runs. succeeded: it has ended well. dead: it was given up, and is a dead letter. canceled: it has ended by request.
             * @enum {string}
             */
            state: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /** @description What is done of it, in the order in which that ended, where one task is asked for. Of a task that is leased to a worker, what is not to be done again. */
            steps?: components["schemas"]["Step"][];
            /** @description The HTTP request to make; absent where a handler or a worker runs it. */
            target?: components["schemas"]["Target"];
            /**
             * Format: go-duration
             * @description Limit of each attempt.
             */
            timeout?: string;
            /** @description W3C trace context of who enqueued it. */
            trace_parent?: string;
            /** @description What kind of task this is. */
            type: string;
            /**
             * Format: date-time
             * @description When it changed last.
             */
            updated_at?: string;
            /** @description Why a pending task is not running. New ones may come. */
            waiting?: string;
            /** @description The remote worker that runs it now. */
            worker?: string;
        };
        TaskError: {
            /** @description network, timeout, conflict, throttled, unavailable, permanent, ...; found from type and message when absent. */
            category?: string;
            /** @description HTTP status, SQLSTATE, errno. */
            code?: string;
            /** @description What failed, for people; at most 16 KiB are kept. */
            message: string;
            /** @description Where it failed; it helps to tell failures apart and is not kept. */
            stack?: string;
            /** @description Class of the error. */
            type?: string;
        };
        TaskFilter: {
            /**
             * Format: int64
             * @description With at least so many attempts.
             */
            attempt_min?: number;
            /** @description Of the last error. */
            category?: string;
            /**
             * Format: date-time
             * @description Failed last at or after. A task that fails again while the operation lists its tasks may be left out.
             */
            failed_since?: string;
            /**
             * Format: date-time
             * @description Failed last before.
             */
            failed_until?: string;
            /** @description Ordering key. */
            key?: string;
            /** @description Names with their values; all must be there. */
            metadata?: {
                [key: string]: string;
            };
            /** @description An ordering key or a type as it is, or a part of the last error's message. */
            q?: string;
            /** @description Of this queue. */
            queue?: string;
            /**
             * Format: date-time
             * @description Created at or after.
             */
            since?: string;
            /**
             * @description pending, or for a cancel also running; without it every task to which the action can be done.
             * @enum {string}
             */
            state?: "pending" | "running";
            /** @description That call this target. */
            target?: string;
            /** @description Trace id. */
            trace?: string;
            /** @description Of this type. */
            type?: string;
            /**
             * Format: date-time
             * @description Created before.
             */
            until?: string;
        };
        /**
         * @example {
         *       "id": "01990a30-77aa-7c3d-b1f4-9d8e7c6b5a40",
         *       "label": "import of March",
         *       "state": "closed",
         *       "callback": {
         *         "type": "import-done"
         *       },
         *       "members": 120,
         *       "succeeded": 117,
         *       "dead": 1,
         *       "canceled": 0,
         *       "created_at": "2026-03-01T09:00:00Z",
         *       "closed_at": "2026-03-01T09:01:00Z"
         *     }
         */
        TaskGroup: {
            /** @description The task that is enqueued when all members have ended. */
            callback: components["schemas"]["Follow"];
            /**
             * Format: uuid
             * @description The callback, of a group that is done.
             */
            callback_task?: string;
            /**
             * Format: int64
             * @description Members that were canceled.
             */
            canceled: number;
            /**
             * Format: date-time
             * @description When it was closed; absent of an open group.
             */
            closed_at?: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /**
             * Format: int64
             * @description Members that died.
             */
            dead: number;
            /**
             * Format: date-time
             * @description When its callback was enqueued; absent before.
             */
            done_at?: string;
            /**
             * Format: uuid
             * @description Id of the group.
             */
            id: string;
            /** @description For people. */
            label?: string;
            /**
             * Format: int64
             * @description How many tasks it has.
             */
            members: number;
            /**
             * @description open takes members; closed waits for those that live; done has enqueued its callback.
             * @enum {string}
             */
            state: "open" | "closed" | "done";
            /**
             * Format: int64
             * @description Members that succeeded.
             */
            succeeded: number;
        };
        /**
         * @example {
         *       "label": "import of March",
         *       "callback": {
         *         "type": "import-done",
         *         "queue": "imports"
         *       }
         *     }
         */
        TaskGroupDraft: {
            /** @description The task that is enqueued once when the group is closed and all its members have ended; in the queue default when it names none. */
            callback: components["schemas"]["Follow"];
            /**
             * Format: uuid
             * @description UUID of version 7, made by the caller. A repeat with the same label and callback answers with the first group. Made by the server when absent.
             */
            id?: string;
            /** @description For people. At most 200 bytes. */
            label?: string;
        };
        TaskGroups: {
            /** @description Give it back as cursor for the next page; empty on the last one. */
            next_cursor: string;
            /** @description The groups of the page. */
            task_groups: components["schemas"]["TaskGroup"][];
        };
        TaskResult: {
            /**
             * Format: int64
             * @description The claim with which the task came.
             */
            claim: number;
            /** @description Of outcomes that are not success. */
            error?: components["schemas"]["TaskError"];
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /**
             * @description released: hand it back, at no cost. snoozed: run it again after retry_after, at no cost.
             * @enum {string}
             */
            outcome: "succeeded" | "failed" | "snoozed" | "released" | "dead" | "canceled";
            /** @description JSON of at most 64 KiB, kept with a task that succeeded. */
            result?: unknown;
            /**
             * Format: go-duration
             * @description Of failed: in place of the policy's delay. Of snoozed: required.
             */
            retry_after?: string;
        };
        Tasks: {
            /** @description Give it back as cursor for the next page; empty on the last one. */
            next_cursor: string;
            /** @description The tasks of the page. */
            tasks: components["schemas"]["Task"][];
        };
        Ticks: {
            /** @description The next ticks, the first one first; fewer than asked for where there are no more. */
            next: string[];
        };
        /**
         * @example {
         *       "id": "k3v7a2bc",
         *       "name": "deploy",
         *       "role": "operator",
         *       "queues": [
         *         "billing"
         *       ],
         *       "state": "live",
         *       "created_at": "2026-03-01T09:00:00Z",
         *       "created_by": "cli",
         *       "expires_at": "2026-09-01T09:00:00Z"
         *     }
         */
        Token: {
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description Who made it. */
            created_by?: string;
            /**
             * Format: date-time
             * @description When it stops being good; absent of one that does not.
             */
            expires_at?: string;
            /** @description Id of the token, which is no secret. */
            id: string;
            /** @description Who or what bears it. */
            name: string;
            /** @description All when absent. */
            queues?: string[];
            /**
             * Format: date-time
             * @description When it was revoked; absent if it was not.
             */
            revoked_at?: string;
            /** @description Who revoked it. */
            revoked_by?: string;
            /**
             * @description What its bearer may do.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "enqueuer" | "worker";
            /**
             * @description live, expired or revoked.
             * @enum {string}
             */
            state: "live" | "expired" | "revoked";
        };
        /**
         * @example {
         *       "name": "deploy",
         *       "role": "operator",
         *       "queues": [
         *         "billing"
         *       ],
         *       "ttl": "4416h"
         *     }
         */
        TokenSpec: {
            /** @description 8 of the characters a-z and 2-7, chosen at random; made when absent. Who gives it knows what to revoke if the answer is lost: a repeat is a conflict. */
            id?: string;
            /** @description Who or what bears the token, for people: 1 to 128 characters. */
            name: string;
            /** @description The queues that it is for; all when absent. Not for admins. */
            queues?: string[];
            /**
             * @description What its bearer may do.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin" | "enqueuer" | "worker";
            /**
             * Format: go-duration
             * @description How long it is good, at most 10 years; forever when absent.
             */
            ttl?: string;
        };
        Tokens: {
            /** @description The tokens, by name. */
            tokens: components["schemas"]["Token"][];
        };
        /**
         * @example {
         *       "id": "01990a2e-4b7c-7d10-9c55-6f0e8a13a2b1"
         *     }
         */
        Trigger: {
            /**
             * Format: uuid
             * @description UUID of version 7 for the task, made by the caller, so that a repeat answers with the first task.
             */
            id?: string;
        };
        Upcoming: {
            /** @description False where more tasks waited than were looked at, and one that was not may be tried before the last of these. */
            complete: boolean;
            /** @description The tasks, the soonest first. */
            tasks: components["schemas"]["Task"][];
        };
        /**
         * @example {
         *       "lanes": [
         *         4097,
         *         20481
         *       ]
         *     }
         */
        Wake: {
            /** @description Numbers of lanes whose rows changed, at most 4096; none for anything. */
            lanes: number[];
        };
        /**
         * @example {
         *       "of": "payment",
         *       "tasks": 2000,
         *       "policies": [
         *         {
         *           "name": "shorter",
         *           "policy": {
         *             "max_attempts": 3
         *           }
         *         }
         *       ]
         *     }
         */
        WhatIf: {
            /** @description Only tasks of which an attempt ran under this policy, in any version. */
            of?: string;
            /** @description At most 4, to compare with what was recorded and with the policies of now. */
            policies?: components["schemas"]["WhatIfPolicy"][];
            /** @description Only tasks of this queue; all when absent. */
            queue?: string;
            /**
             * Format: int64
             * @description Of the random numbers, 1 when absent; the same seed gives the same answer to the same tasks.
             */
            seed?: number;
            /**
             * Format: date-time
             * @description Tasks created at or after; a day before until when absent.
             */
            since?: string;
            /** @description Only tasks that call this target; all when absent. */
            target?: string;
            /**
             * Format: int64
             * @description At most so many tasks, the newest first: up to 10 000, 2000 when absent.
             */
            tasks?: number;
            /** @description Only tasks of this type; all when absent. */
            type?: string;
            /**
             * Format: date-time
             * @description Tasks created before; now when absent.
             */
            until?: string;
        };
        WhatIfLimit: {
            /** @description Stable name of the limit. New ones may come. */
            code: string;
            /** @description What it means, for people. */
            text: string;
        };
        WhatIfPolicy: {
            /** @description What it is called in the answer. */
            name?: string;
            /** @description A policy in the form of the configuration. */
            policy?: unknown;
            /** @description Name of a preset, or of a policy of this server. */
            preset?: string;
        };
        WhatIfRead: {
            /**
             * Format: int64
             * @description Of them.
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When the oldest task that was read was created.
             */
            oldest?: string;
            /**
             * Format: int64
             * @description Tasks that ran under other policies than the one asked for, which are left out.
             */
            others?: number;
            /**
             * Format: date-time
             * @description Tasks created at or after were asked for.
             */
            since: string;
            /**
             * @description The bound at which reading stopped; absent when nothing is left out.
             * @enum {string}
             */
            stopped?: "tasks" | "attempts" | "time";
            /**
             * Format: int64
             * @description That the tasks call.
             */
            targets: number;
            /**
             * Format: int64
             * @description That were tried at least once.
             */
            tasks: number;
            /**
             * Format: date-time
             * @description Tasks created before were asked for.
             */
            until: string;
            /**
             * Format: int64
             * @description Tasks without an attempt, which are left out.
             */
            untried: number;
        };
        WhatIfReport: {
            /**
             * Format: date-time
             * @description When the first attempt began, and all series do.
             */
            begin: string;
            /** @description What the runs cannot know, in plain words. */
            limits: components["schemas"]["WhatIfLimit"][];
            /** @description What was read of the store. */
            read: components["schemas"]["WhatIfRead"];
            /** @description What was recorded; then each task under the policy that holds for it now; then the policies that are tried, in their order. */
            runs: components["schemas"]["WhatIfRun"][];
            /**
             * Format: int64
             * @description Of the random numbers.
             */
            seed: number;
            /**
             * Format: go-duration
             * @description Time between two values of a series.
             */
            step: string;
        };
        WhatIfRun: {
            /**
             * Format: int64
             * @description Attempts of all tasks.
             */
            attempts: number;
            /**
             * Format: int64
             * @description Tasks; only as recorded.
             */
            canceled: number;
            /**
             * Format: int64
             * @description Tasks.
             */
            died: number;
            /** @description Tasks by why they died. */
            died_by?: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description Attempts that failed.
             */
            failed: number;
            /**
             * Format: int64
             * @description Attempts at a time of which nothing is recorded; they are taken to succeed.
             */
            guessed: number;
            /**
             * @description recorded: as it was. current: under the policies of now. tried: under a policy of the request.
             * @enum {string}
             */
            kind: "recorded" | "current" | "tried";
            /**
             * Format: int64
             * @description Attempts at once, at most.
             */
            most_in_flight: number;
            /** @description What the run is called. */
            name: string;
            /**
             * Format: int64
             * @description Tasks that had not ended; only as recorded.
             */
            open: number;
            /**
             * Format: int64
             * @description Those of the attempts that were not the first of their task.
             */
            retries: number;
            /** @description The run over time. */
            series: components["schemas"]["WhatIfSeries"];
            /**
             * Format: int64
             * @description Tasks.
             */
            succeeded: number;
            /** @description From the first attempt of a task to its success. */
            success: components["schemas"]["WhatIfSpans"];
            /** @description From a failure to the next attempt. */
            wait: components["schemas"]["WhatIfSpans"];
        };
        WhatIfSeries: {
            /** @description Load that the targets are offered. */
            attempts: number[];
            /** @description Tasks. */
            succeeded: number[];
            /** @description First attempts that were due. */
            tasks: number[];
        };
        WhatIfSpans: {
            /**
             * Format: go-duration
             * @description The longest; absent where there is none.
             */
            longest?: string;
            /**
             * Format: go-duration
             * @description Half took no longer.
             */
            p50: string;
            /**
             * Format: go-duration
             * @description 99 of 100 took no longer.
             */
            p99: string;
        };
        Woken: Record<string, never>;
        WorkerLease: {
            /**
             * Format: int64
             * @description The claim with which the task was handed out.
             */
            claim: number;
            /**
             * Format: uuid
             * @description Id of the task.
             */
            id: string;
            /**
             * Format: date-time
             * @description When the lease ends. Absent where the worker may have extended it by another node than the one that gave it.
             */
            lease_until?: string;
            /** @description Queue of the task. */
            queue: string;
            /** @description Type of the task. */
            type: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "get-livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-openapi-3": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/openapi+json": Record<string, never>;
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-openapi": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/openapi+json": Record<string, never>;
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-readyz": {
        parameters: {
            query?: {
                /** @description Tell every check. */
                verbose?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    "list-alert-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertChannels"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-alert-channel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the rule or channel. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertChannel"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "put-alert-channel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the rule or channel. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChannelSpec"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertChannel"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code managed_by_file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-alert-channel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the rule or channel. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["None"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict or managed_by_file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "test-alert-channel": {
        parameters: {
            query?: {
                /** @description Send nothing: connect to who takes the messages, shake hands where TLS is spoken, log in to a mail server, and leave. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of the channel. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertTested"];
                };
            };
            /** @description Bad Request: code invalid or invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-alert-events": {
        parameters: {
            query?: {
                /** @description Of this rule; * stands for any text. */
                rule?: string;
                /** @description About this subject; * stands for any text. */
                subject?: string;
                /** @description To this channel; * stands for any text. */
                channel?: string;
                /** @description In this state; without one, all but those that another message tells (collected). */
                state?: "pending" | "sent" | "silenced" | "collected" | "failed" | "canceled";
                /** @description Made at or after. */
                since?: string;
                /** @description 1 to 500, 100 when absent; a page may have fewer messages, also none. */
                limit?: number;
                /** @description next_cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertEvents"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "ack-alert": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Task of the message, as events have it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertEvent"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-alert-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRules"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-alert-rule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the rule or channel. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "put-alert-rule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the rule or channel. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Rule"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code managed_by_file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-alert-rule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the rule or channel. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["None"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code managed_by_file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-alert-silences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertSilences"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "add-alert-silence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertSilenceSpec"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertSilence"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "preview-alert-silence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertSilenceSpec"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertSilencePreview"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "end-alert-silence": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the silence. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertSilence"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-audit": {
        parameters: {
            query?: {
                /** @description The whole name, such as token abcdefgh (ops). */
                actor?: string;
                /** @description policy.put, or policy. for all that begin so. */
                action?: string;
                /** @description policy/payment, or policy/ for all that begin so. */
                subject?: string;
                /** @description At or after. */
                since?: string;
                /** @description Before. */
                until?: string;
                /** @description Rows per page, 1 to 500, 100 when absent. */
                limit?: number;
                /** @description next_cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLog"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-dead": {
        parameters: {
            query?: {
                /** @description In this state. failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given. */
                state?: "pending" | "running" | "succeeded" | "dead" | "canceled" | "failed";
                /** @description Of this type. */
                type?: string;
                /** @description Of this queue. */
                queue?: string;
                /** @description Ordering key. */
                key?: string;
                /** @description Category of the last error. */
                category?: string;
                /** @description Trace id. */
                trace?: string;
                /** @description Created at or after. */
                since?: string;
                /** @description Created before. */
                until?: string;
                /** @description Failed last at or after; the newest failure comes first. */
                failed_since?: string;
                /** @description Failed last before; the newest failure comes first. */
                failed_until?: string;
                /** @description That call this target. */
                target?: string;
                /** @description With at least so many attempts. */
                attempt_min?: number;
                /** @description name:value; repeatable, all must be there. */
                metadata?: string[];
                /** @description The id of a task, or its first 8 digits or more; else an ordering key or a type as it is, or a part of the last error's message. */
                q?: string;
                /** @description exhausted, permanent, expired, crash_loop, no_handler or rejected. */
                reason?: string;
                /** @description Fingerprint of the last error. */
                fingerprint?: string;
                /** @description Died before. */
                died_before?: string;
                /** @description Letters per page, 1 to 500, 100 when absent. */
                limit?: number;
                /** @description next_cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tasks"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "export-dead": {
        parameters: {
            query?: {
                /** @description In this state. failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given. */
                state?: "pending" | "running" | "succeeded" | "dead" | "canceled" | "failed";
                /** @description Of this type. */
                type?: string;
                /** @description Of this queue. */
                queue?: string;
                /** @description Ordering key. */
                key?: string;
                /** @description Category of the last error. */
                category?: string;
                /** @description Trace id. */
                trace?: string;
                /** @description Created at or after. */
                since?: string;
                /** @description Created before. */
                until?: string;
                /** @description Failed last at or after; the newest failure comes first. */
                failed_since?: string;
                /** @description Failed last before; the newest failure comes first. */
                failed_until?: string;
                /** @description That call this target. */
                target?: string;
                /** @description With at least so many attempts. */
                attempt_min?: number;
                /** @description name:value; repeatable, all must be there. */
                metadata?: string[];
                /** @description The id of a task, or its first 8 digits or more; else an ordering key or a type as it is, or a part of the last error's message. */
                q?: string;
                /** @description exhausted, permanent, expired, crash_loop, no_handler or rejected. */
                reason?: string;
                /** @description Fingerprint of the last error. */
                fingerprint?: string;
                /** @description Died before. */
                died_before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["Letter"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "group-dead": {
        parameters: {
            query?: {
                /** @description In this state. failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given. */
                state?: "pending" | "running" | "succeeded" | "dead" | "canceled" | "failed";
                /** @description Of this type. */
                type?: string;
                /** @description Of this queue. */
                queue?: string;
                /** @description Ordering key. */
                key?: string;
                /** @description Category of the last error. */
                category?: string;
                /** @description Trace id. */
                trace?: string;
                /** @description Created at or after. */
                since?: string;
                /** @description Created before. */
                until?: string;
                /** @description Failed last at or after; the newest failure comes first. */
                failed_since?: string;
                /** @description Failed last before; the newest failure comes first. */
                failed_until?: string;
                /** @description That call this target. */
                target?: string;
                /** @description With at least so many attempts. */
                attempt_min?: number;
                /** @description name:value; repeatable, all must be there. */
                metadata?: string[];
                /** @description The id of a task, or its first 8 digits or more; else an ordering key or a type as it is, or a part of the last error's message. */
                q?: string;
                /** @description exhausted, permanent, expired, crash_loop, no_handler or rejected. */
                reason?: string;
                /** @description Fingerprint of the last error. */
                fingerprint?: string;
                /** @description Died before. */
                died_before?: string;
                /** @description Groups, 1 to 500, 100 when absent. */
                limit?: number;
                /** @description With when, why and where the letters died. */
                trend?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadGroups"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-dead-group": {
        parameters: {
            query?: {
                /** @description In this state. failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given. */
                state?: "pending" | "running" | "succeeded" | "dead" | "canceled" | "failed";
                /** @description Of this type. */
                type?: string;
                /** @description Of this queue. */
                queue?: string;
                /** @description Ordering key. */
                key?: string;
                /** @description Category of the last error. */
                category?: string;
                /** @description Trace id. */
                trace?: string;
                /** @description Created at or after. */
                since?: string;
                /** @description Created before. */
                until?: string;
                /** @description Failed last at or after; the newest failure comes first. */
                failed_since?: string;
                /** @description Failed last before; the newest failure comes first. */
                failed_until?: string;
                /** @description That call this target. */
                target?: string;
                /** @description With at least so many attempts. */
                attempt_min?: number;
                /** @description name:value; repeatable, all must be there. */
                metadata?: string[];
                /** @description The id of a task, or its first 8 digits or more; else an ordering key or a type as it is, or a part of the last error's message. */
                q?: string;
                /** @description exhausted, permanent, expired, crash_loop, no_handler or rejected. */
                reason?: string;
                /** @description Fingerprint of the last error. */
                fingerprint?: string;
                /** @description Died before. */
                died_before?: string;
            };
            header?: never;
            path: {
                /** @description Fingerprint of the last error. */
                fingerprint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadGroup"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "purge-dead": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Purge"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Purged"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "redrive-dead": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Redrive"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redriven"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "count-dead": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadStats"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-dead": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Letter"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "watch-events": {
        parameters: {
            query?: {
                /** @description Changes of tasks of this queue only. */
                queue?: string;
                /** @description Of this type only. */
                type?: string;
                /** @description Into this state only. */
                state?: "pending" | "running" | "succeeded" | "dead" | "canceled";
                /** @description Of tasks that call this target only. */
                target?: string;
                /** @description Of this task only, on whichever node it runs; without stats and changed. */
                task?: string;
                /** @description End the stream after so long; it goes on until the caller goes when absent. */
                for?: string;
            };
            header?: {
                /** @description The id of the last message that was received: what came since is told again, if it is still there. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Groups"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "put-member": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the group, which need not be made before. */
                group: string;
                /** @description Id of the member, of its own choice. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Member"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "remove-member": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the group, which need not be made before. */
                group: string;
                /** @description Id of the member, of its own choice. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["None"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-keys": {
        parameters: {
            query?: {
                /** @description Of this queue. */
                queue?: string;
                /** @description Also keys that no task waits behind. */
                all?: boolean;
                /** @description Keys per page, 1 to 500, 100 when absent. */
                limit?: number;
                /** @description next_cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockedKeys"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-lanes": {
        parameters: {
            query?: {
                /** @description Of this queue only. */
                queue?: string;
                /** @description Owned by this node only. */
                node?: string;
                /** @description Lanes, 1 to 500, 100 when absent. */
                limit?: number;
                /** @description The next_cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lanes"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-nodes": {
        parameters: {
            query?: {
                /** @description Nodes, 1 to 500, 100 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Nodes"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "wake-node": {
        parameters: {
            query?: never;
            header?: {
                /** @description The wake key in this node's row of the database. */
                "Outlast-Wake-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Wake"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Woken"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-operations": {
        parameters: {
            query?: {
                /** @description Operations, 1 to 500, 100 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operations"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-operation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the operation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "cancel-operation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the operation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-operation-items": {
        parameters: {
            query?: {
                /** @description Items per page, 1 to 500, 100 when absent. */
                limit?: number;
                /** @description next_cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the operation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationItems"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "pause-operation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the operation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "resume-operation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the operation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policies"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "plan-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PlanRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-policy": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "put-policy": {
        parameters: {
            query?: {
                /** @description The version that is changed, 0 for none; another one is a conflict. Whatever stands there when absent. */
                version?: number;
                /** @description Check everything and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyForm"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict or managed_by_file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-policy": {
        parameters: {
            query?: {
                /** @description The version that is changed, 0 for none; another one is a conflict. Whatever stands there when absent. */
                version?: number;
                /** @description Check everything and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyDeleted"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict or managed_by_file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "abort-policy": {
        parameters: {
            query?: {
                /** @description The version that is changed, 0 for none; another one is a conflict. Whatever stands there when absent. */
                version?: number;
                /** @description Check everything and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict or managed_by_file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "promote-policy": {
        parameters: {
            query?: {
                /** @description The version that is changed, 0 for none; another one is a conflict. Whatever stands there when absent. */
                version?: number;
                /** @description Check everything and change nothing. */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict or managed_by_file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-policy-versions": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policies"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queues"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-queue": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the queue. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "put-queue": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the queue. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["QueueChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "pause-queue": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the queue. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "release-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the queue. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRelease"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyReleased"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "resume-queue": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the queue. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-queue-shares": {
        parameters: {
            query?: {
                /** @description Share keys, 1 to 500, 100 when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Name of the queue. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueShares"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedules"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "plan-ticks": {
        parameters: {
            query?: {
                /** @description How many, 1 to 100; 5 when absent. */
                n?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleRule"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ticks"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-schedule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "put-schedule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleRule"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict or managed_by_file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "delete-schedule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict or managed_by_file */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "next-ticks": {
        parameters: {
            query?: {
                /** @description How many, 1 to 100; 5 when absent. */
                n?: number;
            };
            header?: never;
            path: {
                /** @description Name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ticks"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "pause-schedule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "resume-schedule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "trigger-schedule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the schedule. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Trigger"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited or queue_full */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-self": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Self"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "compare-policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimContest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimComparison"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "run-scenario": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimRun"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimReport"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-scenarios": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SimScenarios"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "replay-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WhatIf"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WhatIfReport"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "compare-stats": {
        parameters: {
            query?: {
                /** @description release, or policy_version; release when absent. */
                by?: string;
                /** @description Of tasks; all when absent. */
                type?: string;
                /** @description The earlier side; what was seen first before the later one when absent. */
                from?: string;
                /** @description The later side; what was first seen last when absent. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatsComparisons"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-series": {
        parameters: {
            query?: {
                /** @description An hour before to when absent. */
                from?: string;
                /** @description Now when absent. */
                to?: string;
                /** @description Whole minutes, or 10s to 50s; chosen when absent, so that there are at most 240 points. At most 1500 points. */
                step?: string;
                /** @description All when absent, or all that the token is for. */
                queue?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-targets": {
        parameters: {
            query?: {
                /** @description Targets, 1 to 500, 100 when absent. */
                limit?: number;
                /** @description Only those whose breaker is not closed, and those that want no calls for a while. The total is then of these. */
                troubled?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Targets"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-target": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The host of a request's URL, with a port that is not the scheme's own, what its handler has named, or the type of the task; percent-encoded: api.example.com, api.example.com:8443, %5B2001:db8::1%5D:8443. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetState"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "close-target": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The host of a request's URL, with a port that is not the scheme's own, what its handler has named, or the type of the task; percent-encoded: api.example.com, api.example.com:8443, %5B2001:db8::1%5D:8443. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetState"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-target-history": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The host of a request's URL, with a port that is not the scheme's own, what its handler has named, or the type of the task; percent-encoded: api.example.com, api.example.com:8443, %5B2001:db8::1%5D:8443. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetHistory"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "open-target": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The host of a request's URL, with a port that is not the scheme's own, what its handler has named, or the type of the task; percent-encoded: api.example.com, api.example.com:8443, %5B2001:db8::1%5D:8443. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetState"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "reset-target": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The host of a request's URL, with a port that is not the scheme's own, what its handler has named, or the type of the task; percent-encoded: api.example.com, api.example.com:8443, %5B2001:db8::1%5D:8443. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TargetState"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-task-groups": {
        parameters: {
            query?: {
                /** @description Groups in this state only. */
                state?: "open" | "closed" | "done";
                /** @description Groups per page, 1 to 500, 100 when absent. */
                limit?: number;
                /** @description next_cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskGroups"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-task-group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskGroupDraft"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskGroup"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskGroup"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code id_conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-task-group": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the group. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskGroup"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "close-task-group": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the group. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskGroup"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-tasks": {
        parameters: {
            query?: {
                /** @description In this state. failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given. */
                state?: "pending" | "running" | "succeeded" | "dead" | "canceled" | "failed";
                /** @description Of this type. */
                type?: string;
                /** @description Of this queue. */
                queue?: string;
                /** @description Ordering key. */
                key?: string;
                /** @description Category of the last error. */
                category?: string;
                /** @description Trace id. */
                trace?: string;
                /** @description Created at or after. */
                since?: string;
                /** @description Created before. */
                until?: string;
                /** @description Failed last at or after; the newest failure comes first. */
                failed_since?: string;
                /** @description Failed last before; the newest failure comes first. */
                failed_until?: string;
                /** @description That call this target. */
                target?: string;
                /** @description With at least so many attempts. */
                attempt_min?: number;
                /** @description name:value; repeatable, all must be there. */
                metadata?: string[];
                /** @description The id of a task, or its first 8 digits or more; else an ordering key or a type as it is, or a part of the last error's message. */
                q?: string;
                /** @description Pending tasks that wait for this reason, as their field waiting says it, such as key blocked. */
                waiting?: string;
                /** @description Tasks per page, 1 to 500, 100 when absent. */
                limit?: number;
                /** @description next_cursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tasks"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "enqueue-task": {
        parameters: {
            query?: {
                /** @description Wait this long for the end of the task, at most 10m. */
                wait?: string;
            };
            header?: {
                /** @description W3C trace context, for a body without trace_parent. */
                traceparent?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Draft"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code dedupe_conflict or id_conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited or queue_full */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable or dedupe_busy */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "enqueue-batch": {
        parameters: {
            query?: never;
            header?: {
                /** @description W3C trace context, for tasks without trace_parent. */
                traceparent?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Batch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResults"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code dedupe_conflict or id_conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited or queue_full */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "bulk-tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Bulk"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bulked"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bulked"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "run-due-tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Due"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DueCounts"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-upcoming": {
        parameters: {
            query?: {
                /** @description Of this queue. */
                queue?: string;
                /** @description Tasks, 1 to 100, 10 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upcoming"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "get-task": {
        parameters: {
            query?: {
                /** @description Wait this long for the end of the task, at most 10m. */
                wait?: string;
            };
            header?: never;
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-attempts": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attempts"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "cancel-task": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Cancellation"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "reschedule-task": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reschedule"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "retry-task": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the task. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "signal-task": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the task. */
                id: string;
                /** @description Name of the signal, percent-encoded. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Signaled"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large or too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "create-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenSpec"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict: code conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "revoke-token": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found: code not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "list-workers": {
        parameters: {
            query?: {
                /** @description Workers, 1 to 500, 100 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoteWorkers"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "extend-tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Extend"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Extended"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "poll-tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Poll"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Polled"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable or unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "settle-tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettleTasks"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settled"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable or unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    "add-steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddSteps"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddedSteps"];
                };
            };
            /** @description Bad Request: code invalid */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized: code unauthenticated */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden: code denied */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Request Entity Too Large: code too_large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type: code unsupported_media_type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests: code rate_limited */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error: code internal */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable: code unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}

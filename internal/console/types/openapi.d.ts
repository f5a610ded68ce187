export interface paths {
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive */
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
        /** Metrics in the text format of Prometheus */
        get: operations["get-metrics"];
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
        /** This document */
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
        /** List alert channels */
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
        /** Get an alert channel */
        get: operations["get-alert-channel"];
        /**
         * Create or replace an alert channel
         * @description Secrets are not part of it: it names environment variables of the servers that hold them.
         */
        put: operations["put-alert-channel"];
        post?: never;
        /** Delete an alert channel that nothing names */
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
        /** Send a test message and wait until it is accepted */
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
        /** List alert rules, including the built-in ones */
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
        /** Get an alert rule */
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
        /** Delete an alert rule; a built-in rule of that name applies again */
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
         * @description A redrive by filter, and one with rate, canary or stop_if_failing, is an operation that survives a restart; follow it under /v1/operations. A dry run only counts, and shows the first ones. A filter means letters that are dead when the redrive begins: with the died_before of the dry run, those that were counted.
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
        /** Count dead letters */
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
        /** Get a dead letter with all its attempts and steps */
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
        /** Leave a worker group */
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
        /** List ordering keys that are blocked by dead letters, with the tasks that wait */
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
        /** List lanes by number, with their owners */
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
        /** List operations, newest first */
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
        /** Get an operation and its progress */
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
        /** Cancel an operation, without undoing what is done */
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
        /** Pause an operation */
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
        /** Resume a paused operation */
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
        /** Get a policy, with the queues and types that name it */
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
        /** List queues by name, with counts */
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
        /** Get a queue, with counts */
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
        /** Pause a queue: none of its tasks start */
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
        /** Release an ordering key: the tasks behind its dead letter run, and the letter is kept */
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
        /** Resume a paused queue */
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
        /** List schedules by name */
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
        /** Get a schedule */
        get: operations["get-schedule"];
        /**
         * Create a schedule (201), or change one (200)
         * @description The body is the whole rule: what is absent takes its default. Its ticks are those after this call; a tick of the rule before that is due already stays. Pause, counters and last task are kept.
         */
        put: operations["put-schedule"];
        post?: never;
        /** Delete a schedule but keep the tasks that it has enqueued */
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
        /** Pause a schedule */
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
        /** Resume a schedule; ticks during the pause are skipped */
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
        /** Get the permissions of the caller, and the node that answers */
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
        /** List the scenarios of the storm simulator */
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
        /** Get the current state: tasks by queue, dead letters and the load of the nodes */
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
        /** Get a target: breaker, budget, limits and waiting tasks */
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
        /** List groups of tasks, newest first */
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
        /** Get a group of tasks with its members by outcome */
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
        /** Get a task in any state */
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
        /** List the attempts and steps of a task, oldest first */
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
        /** Move the next attempt of a pending task */
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
        /** Run the next attempt now */
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
        AddSteps: {
            /** @description 1 to 1000 steps. */
            items: components["schemas"]["DoneStep"][] | null;
        };
        AddedSteps: {
            results: components["schemas"]["StepResult"][] | null;
        };
        AlertChannel: {
            actor?: string;
            /** @description The specification. Secrets are not in it: it names environment variables. */
            channel: unknown;
            kind: string;
            /** @description file: the configuration file owns it; option: a Go function of an application. */
            managed?: string;
            name: string;
            /** @description Why it cannot, or why its last message was not delivered. */
            problem?: string;
            /** Format: date-time */
            updated_at?: string;
            /** @description The node that was asked can send to it. */
            usable: boolean;
            /** Format: int64 */
            version?: number;
        };
        AlertChannels: {
            channels: components["schemas"]["AlertChannel"][] | null;
        };
        AlertEvent: {
            /** Format: date-time */
            acked_at?: string;
            /** @description Who has acknowledged it. */
            acked_by?: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            at: string;
            /** Format: int64 */
            attempts: number;
            channel: string;
            /** Format: date-time */
            ended_at?: string;
            error?: string;
            fields?: components["schemas"]["AlertField"][] | null;
            /**
             * Format: int64
             * @description Alerts that were held back and are told with this message.
             */
            held_back?: number;
            /** @description What was held back, by what it has in common, such as the target, the code and the fingerprint of the failures. */
            held_back_kinds?: components["schemas"]["AlertTally"][] | null;
            held_back_names?: string[] | null;
            /** @description Of the task that delivers it; its attempts are the delivery log. */
            id: string;
            /** @description The channel that could not deliver it. */
            instead?: string;
            /** @enum {string} */
            kind: "raised" | "held" | "recovered" | "test";
            /** Format: date-time */
            next_at?: string;
            rule: string;
            severity: string;
            /** @description The silence that has kept it back. */
            silence?: string;
            /** @enum {string} */
            state: "pending" | "sent" | "silenced" | "collected" | "failed" | "canceled";
            subject: string;
            text: string;
            title: string;
        };
        AlertEvents: {
            events: components["schemas"]["AlertEvent"][] | null;
            next_cursor: string;
        };
        AlertField: {
            name: string;
            value: string;
        };
        AlertRule: {
            actor?: string;
            /** @description It holds without configuration; a rule of its name replaces it. */
            builtin: boolean;
            /** @description file: the configuration file owns it. */
            managed?: string;
            name: string;
            /** @description Why it does not hold on the node that was asked. */
            problem?: string;
            /** @description A built-in rule of its name holds again when it is deleted. */
            replaces?: boolean;
            /** @description {on, when, channels, cooldown, digest, for, recovery, severity, disabled} */
            rule: unknown;
            /** Format: date-time */
            updated_at?: string;
            /** Format: int64 */
            version?: number;
        };
        AlertRules: {
            rules: components["schemas"]["AlertRule"][] | null;
            /** @description What conditions can use. */
            variables: components["schemas"]["AlertVariable"][] | null;
        };
        AlertSilence: {
            by: string;
            channel?: string;
            /** @description Who has ended it before its time. */
            ended_by?: string;
            /** Format: date-time */
            from: string;
            id: string;
            queue?: string;
            reason: string;
            rule?: string;
            /** @enum {string} */
            state: "scheduled" | "active" | "ended";
            subject?: string;
            target?: string;
            type?: string;
            /** Format: date-time */
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
            rules: string[] | null;
            /**
             * Format: date-time
             * @description Messages from then on were looked at: those of the last day.
             */
            since: string;
            /** @description Those with the most messages, 100 at most. */
            subjects: components["schemas"]["AlertSilencedSubject"][] | null;
        };
        AlertSilenceSpec: {
            /** @description Name of the channel: others are told. */
            channel?: string;
            /** @description Until so long after from. */
            for?: string;
            /**
             * Format: date-time
             * @description Now when absent.
             */
            from?: string;
            queue?: string;
            reason: string;
            /** @description Name of the rule. */
            rule?: string;
            /** @description What the alert is about. */
            subject?: string;
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
            /** Format: date-time */
            last: string;
            /** Format: int64 */
            messages: number;
            rule: string;
            subject: string;
        };
        AlertSilences: {
            silences: components["schemas"]["AlertSilence"][] | null;
        };
        AlertTally: {
            /** Format: int64 */
            count: number;
            /** @description The first of it. */
            names?: string[] | null;
            /** @description What it has in common; empty for what is in no other part. */
            what?: string;
        };
        AlertTested: {
            channel: string;
            /** @description A message was sent and taken; false where the channel was tried without one. */
            sent: boolean;
        };
        AlertVariable: {
            /** @description What it is. */
            doc: string;
            name: string;
            /** @description The rules that can use it, by what they look at. */
            on: string[] | null;
            /** @description string, int, double, bool, duration or map. */
            type: string;
        };
        Attempt: {
            category?: string;
            /** Format: int64 */
            claim: number;
            code?: string;
            effect?: string;
            /** Format: date-time */
            ended_at?: string;
            /** @description What failed; of a crashed attempt how it was lost: its process died, or the lease of its worker ended without an answer. */
            error?: string;
            fingerprint?: string;
            next_delay?: string;
            /** @description Who ran it, or had leased it to a worker. */
            node?: string;
            /**
             * Format: int64
             * @description Attempts count from 1; one that cost nothing repeats its number.
             */
            number: number;
            /** @enum {string} */
            outcome: "succeeded" | "failed" | "snoozed" | "released" | "dead" | "canceled" | "crashed";
            /** @description The named policy that held for the attempt, and decided what follows a failure; absent for policies without versions, and for a crash. */
            policy?: string;
            /** Format: int64 */
            policy_version?: number;
            /** @description Release of the program that ran it: of the remote worker, else of the node. */
            release?: string;
            /** Format: date-time */
            started_at?: string;
            type?: string;
            /** @description The remote worker that ran it. */
            worker?: string;
        };
        Attempts: {
            attempts: components["schemas"]["Attempt"][] | null;
            /** @description What is done of the task, in the order in which that ended. */
            steps?: components["schemas"]["Step"][] | null;
        };
        AuditLog: {
            next_cursor: string;
            rows: components["schemas"]["AuditRow"][] | null;
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
            /** Format: date-time */
            at: string;
            /** @description What was; no secrets. */
            before?: unknown;
            id: string;
            /** @description X-Request-Id of the request. */
            request?: string;
            /** @description policy/payment, task/ID, queue/mail and the like. */
            subject: string;
        };
        Batch: {
            /** @description All or none; otherwise each on its own. */
            atomic?: boolean;
            /** @description 1 to 1000 tasks. */
            tasks: components["schemas"]["Draft"][] | null;
        };
        BatchResult: {
            error?: components["schemas"]["Error"];
            id?: string;
            /** Format: int64 */
            status: number;
        };
        BatchResults: {
            results: components["schemas"]["BatchResult"][] | null;
        };
        BlockedKey: {
            /** @description What blocks it: redrive or purge it, or release the key. */
            dead_letter: string;
            key: string;
            /**
             * @description Tasks behind a key in mode park do not count as backlog.
             * @enum {string}
             */
            mode: "block" | "park";
            queue: string;
            /** Format: date-time */
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
            keys: components["schemas"]["BlockedKey"][] | null;
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
            /** @enum {string} */
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
            /** Format: double */
            tokens: number;
            /**
             * Format: date-time
             * @description When the next retry that waits may run.
             */
            until?: string;
        };
        Bulk: {
            /**
             * @description cancel ends pending tasks and asks running ones to end; retry lets pending tasks run at once; reschedule moves the next run of pending tasks.
             * @enum {string}
             */
            action: "cancel" | "retry" | "reschedule";
            /** @description The same, counted from now. */
            delay?: string;
            /** @description Only count. */
            dry_run?: boolean;
            /** @description Tasks that match when the operation begins; those created later are not meant. */
            filter?: components["schemas"]["TaskFilter"];
            /** @description At most 10000. */
            ids?: string[] | null;
            /** @description For the audit log, at most 500 bytes. */
            reason?: string;
            /**
             * Format: date-time
             * @description Of a reschedule: when the tasks run next.
             */
            run_at?: string;
        };
        BulkResult: {
            id: string;
            /** @description What the task is now. */
            state?: string;
            /**
             * @description changed: was canceled, or its next run was moved. asked: was running, and was asked to end. left_running, left_ended: was left alone since it ran, or had ended. not_found: there is no such task.
             * @enum {string}
             */
            status: "changed" | "asked" | "left_running" | "left_ended" | "not_found";
        };
        BulkSample: {
            /** Format: int64 */
            attempt: number;
            /** @description Of its last error. */
            category?: string;
            id: string;
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
             * @description When that is looked at again. Absent where nobody can know.
             */
            next_check?: string;
            queue: string;
            /** Format: date-time */
            run_at?: string;
            state: string;
            type: string;
            /** @description Why a pending task is not running. */
            waiting?: string;
        };
        Bulked: {
            /** @description There are more than matched: counting stops at 100000. */
            at_least?: boolean;
            dry_run?: boolean;
            /**
             * Format: int64
             * @description Tasks that were changed, or will be as far as their states allow.
             */
            matched: number;
            /** @description Id to follow under /v1/operations; empty when it is complete or was a dry run. */
            operation: string;
            /** @description Of up to 100 ids, what has become of each; of a dry run with ids, those to which the action cannot be done. */
            results?: components["schemas"]["BulkResult"][] | null;
            /** @description Of a dry run, the first tasks, at most 10. */
            sample?: components["schemas"]["BulkSample"][] | null;
            /**
             * Format: date-time
             * @description Of a dry run by filter: tasks created before were counted. Give it as the filter's until, and no other tasks are meant.
             */
            until?: string;
        };
        Cancellation: {
            /** @description Undo the steps of the task too, the last one first, once it is canceled. Also for a task that is canceled already. */
            compensate?: boolean;
        };
        ChannelSpec: {
            address?: string;
            default?: boolean;
            fallback?: string;
            from?: string;
            kind: string;
            mentions?: string[] | null;
            name?: string;
            password_env?: string;
            password_file?: string;
            /** Format: int64 */
            rate?: number;
            secret_env?: string;
            secret_file?: string;
            timeout?: string;
            tls?: string;
            to?: string[] | null;
            url?: string;
            url_env?: string;
            url_file?: string;
            username?: string;
        };
        Check: {
            detail?: string;
            ok: boolean;
        };
        Compensation: {
            /** @description JSON of at most 64 KiB. */
            payload?: unknown;
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
            fingerprint?: string;
            key?: string;
            metadata?: {
                [key: string]: string;
            };
            /** @description An ordering key or a type as it is, or a part of the last error's message. */
            q?: string;
            queue?: string;
            /** @description exhausted, permanent, expired, crash_loop, no_handler or rejected. */
            reason?: string;
            /**
             * Format: date-time
             * @description Created at or after.
             */
            since?: string;
            target?: string;
            /** @description Trace id. */
            trace?: string;
            type?: string;
            /**
             * Format: date-time
             * @description Created before.
             */
            until?: string;
        };
        DeadGroup: {
            category: string;
            /** Format: int64 */
            count: number;
            error?: components["schemas"]["Failure"];
            example: string;
            fingerprint: string;
            /** Format: date-time */
            first_seen: string;
            /** Format: date-time */
            last_seen: string;
            /** @description Of the example. */
            message: string;
            /** @description Of the letter that died last; the trend tells those of all. */
            reason: string;
            trend?: components["schemas"]["DeadTrend"];
            type: string;
        };
        DeadGroups: {
            groups: components["schemas"]["DeadGroup"][] | null;
        };
        DeadStats: {
            by_category: {
                [key: string]: number;
            };
            by_reason: {
                [key: string]: number;
            };
            by_type: {
                [key: string]: number;
            };
            /** Format: int64 */
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
            hours: number[] | null;
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
            last_error: string;
            /**
             * Format: date-time
             * @description The next try.
             */
            next_at?: string;
        };
        DoneStep: {
            /** Format: int64 */
            claim: number;
            /** @description The task that undoes the step if its own dies. */
            compensation?: components["schemas"]["Compensation"];
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
            /** @description How long the dedupe key holds, 24h when absent. */
            dedupe_window?: string;
            /**
             * @description Wait before the first attempt, such as 1.5s. Not together with run_at.
             * @example 10s
             */
            delay?: string;
            /** @description Enqueued in the transaction in which the task dies. */
            fallback?: components["schemas"]["Follow"];
            /** @description The group of tasks that this one is a member of, which must be open. Not together with dedupe_key. */
            group?: string;
            /** @description UUID of version 7, made by the caller; its last 16 bits become the lane. A repeat with the same id and content answers with the first task. Made by the server when absent. */
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
            /** @description Limit of each attempt. */
            timeout?: string;
            /** @description W3C trace context; the traceparent header is used when absent. */
            trace_parent?: string;
            /** @description As deadline, counted from now. */
            ttl?: string;
            /** @description What kind of task this is. Defaults to http when target.url is given. */
            type?: string;
        };
        Error: {
            /** @description Stable name of the problem. */
            code: string;
            detail?: string;
            /** @description What is wrong where in the request. */
            errors?: components["schemas"]["Field"][] | null;
            /** @description The task in the way. */
            existing?: string;
            hint?: string;
            /** @description When to come back. */
            retry_after?: string;
            /** @description Of the task or operation, where its state is the problem. */
            state?: string;
            /** Format: int64 */
            status: number;
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
            /** @enum {string} */
            kind: "policy" | "queue" | "schedule" | "alert" | "operation" | "target" | "node" | "token" | "dead";
            /** @description Absent where any of the kind may have changed. */
            name?: string;
        };
        EventHello: {
            node: string;
            /**
             * @description Whose changes of tasks are told: those of the node that answers, or of all because there is no other.
             * @enum {string}
             */
            nodes: "this" | "all";
            /** Format: date-time */
            now: string;
            /** @description Of the application. */
            release?: string;
            version?: string;
        };
        EventQueueStats: {
            counts?: {
                [key: string]: number;
            };
            name: string;
            oldest_due: string;
            paused: boolean;
            /** Format: int64 */
            pending: number;
            /** Format: int64 */
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
            /** Format: date-time */
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
            /** @description For how long the oldest pending task has been due. */
            oldest_due: string;
            /**
             * Format: int64
             * @description Each queue counted no further than 10000, as running.
             */
            pending: number;
            /** @description By name, 100 at most. */
            queues: components["schemas"]["EventQueueStats"][] | null;
            /**
             * Format: int64
             * @description Due tasks in the memory of the node that answers, and those of all nodes that are set aside, since nobody can start them now: no living node starts their type, their target is down, their key is blocked. Of each queue counted to 10000.
             */
            ready?: number;
            /** Format: int64 */
            running: number;
            /**
             * Format: int64
             * @description Tasks in its memory that are not due.
             */
            scheduled?: number;
            /**
             * Format: int64
             * @description Attempts at most, of the living nodes.
             */
            slots?: number;
        };
        EventTask: {
            /** Format: date-time */
            at: string;
            /** Format: int64 */
            attempt: number;
            /** @description Of the failure. */
            category?: string;
            code?: string;
            id: string;
            key?: string;
            /**
             * Format: date-time
             * @description The next run.
             */
            next_at?: string;
            queue: string;
            /** @description Why it is dead. */
            reason?: string;
            state: string;
            target?: string;
            type: string;
            /**
             * @description failed: it will run again; released: given back at no cost, or moved to another time.
             * @enum {string}
             */
            what: "enqueued" | "started" | "failed" | "succeeded" | "dead" | "canceled" | "snoozed" | "released" | "crashed";
        };
        EventTasks: {
            /** Format: date-time */
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
            tasks: components["schemas"]["EventTask"][] | null;
        };
        Extend: {
            /** @description 1 to 1000 tasks. */
            items: components["schemas"]["ExtendItem"][] | null;
            /** @description From now, 1s to 1h; 30s when absent. */
            lease?: string;
        };
        ExtendItem: {
            /** Format: int64 */
            claim: number;
            id: string;
            /** @description Any JSON of at most 4 KiB; shown with the task while it runs, by the node that leased it. */
            progress?: unknown;
        };
        ExtendResult: {
            id: string;
            /** Format: date-time */
            lease_until?: string;
            /**
             * @description canceled: extended, but somebody wants the task to stop. stale_claim, not_found: stop, the task is not this worker's any more.
             * @enum {string}
             */
            status: "ok" | "canceled" | "stale_claim" | "not_found";
        };
        Extended: {
            results: components["schemas"]["ExtendResult"][] | null;
        };
        Failure: {
            /** Format: date-time */
            at?: string;
            category: string;
            /** @description HTTP status, SQLSTATE, errno. */
            code?: string;
            /** @description The wait planned after it. */
            delay?: string;
            effect?: string;
            /** @description Equal for failures that are the same to a person. */
            fingerprint: string;
            message: string;
            /** @description Error class or Go type. */
            type?: string;
        };
        Field: {
            message: string;
            path: string;
        };
        Follow: {
            payload?: unknown;
            policy?: string;
            /** @description The queue of the followed task when absent. */
            queue?: string;
            target?: components["schemas"]["Target"];
            type?: string;
        };
        Group: {
            /**
             * Format: int64
             * @description Dispatches in a row that nobody took.
             */
            failures?: number;
            /** @enum {string} */
            kind?: "busy" | "unreachable" | "empty";
            last_error?: string;
            members: components["schemas"]["GroupMember"][] | null;
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
            /** @description How long it is a member without another beat, 1s to 1h; 15s when absent, unless configured. */
            ttl?: string;
            /** @description http or https; the paths of tasks are added to its own. */
            url: string;
        };
        Groups: {
            groups: components["schemas"]["Group"][] | null;
        };
        Health: {
            checks?: {
                [key: string]: components["schemas"]["Check"];
            };
            /** @enum {string} */
            status: "alive" | "ready" | "not ready";
        };
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
            /** Format: int64 */
            number: number;
            /** @description Node that orders and starts its tasks; absent while it has none. */
            owner?: string;
            /**
             * @description The lane of a node that is not alive is free, and will be taken.
             * @enum {string}
             */
            owner_state?: "alive" | "left" | "dead";
            queue: string;
        };
        Lanes: {
            /**
             * Format: date-time
             * @description When the node that answers has read this from the store.
             */
            as_of: string;
            lanes: components["schemas"]["Lane"][] | null;
            /** @description Of the next page; empty at the end. */
            next_cursor: string;
            /** @description That was more than 5s ago: the store does not answer, and things may stand otherwise by now. */
            stale?: boolean;
        };
        LeasedTask: {
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
            /** @description Its last error. */
            callback_error?: string;
            /** @description Its state. */
            callback_state?: string;
            /** @description The on_success or on_dead task of this one, where one task is asked for. */
            callback_task?: string;
            cancel_requested?: boolean;
            /**
             * Format: int64
             * @description Grows with every run.
             */
            claim: number;
            /** @description Its state: when it has succeeded, what undoes the steps is enqueued. */
            compensation_state?: string;
            /** @description The task that undoes the steps of this one once it is canceled, where that was asked for and one task is asked for. */
            compensation_task?: string;
            /**
             * Format: int64
             * @description Runs that were lost, since their process died or the lease of their worker ended without an answer; they cost no attempt.
             */
            crashes: number;
            /** Format: date-time */
            created_at: string;
            /** @enum {string} */
            dead_reason?: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected";
            /** Format: date-time */
            deadline?: string;
            dedupe_key?: string;
            dedupe_window?: string;
            /** @description Of a task for a worker group that nobody takes. */
            dispatch?: components["schemas"]["Dispatch"];
            fallback?: components["schemas"]["Follow"];
            /** @description Its last error. */
            fallback_error?: string;
            /** @description Its state, where one task is asked for. */
            fallback_state?: string;
            /** @description The task that was enqueued when this one died. */
            fallback_task?: string;
            /** Format: date-time */
            finished_at?: string;
            /**
             * @description As what it follows its parent.
             * @enum {string}
             */
            follows?: "fallback" | "on_success" | "on_dead" | "compensation" | "group";
            /** @description The group of tasks that this one is a member of. */
            group?: string;
            id: string;
            key?: string;
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
            metadata?: {
                [key: string]: string;
            };
            /** @description The encryption key that nodes lack, of a task that waits for that. */
            missing_key?: string;
            /**
             * Format: date-time
             * @description When that is looked at again: the next run, the next probe of an open breaker, the next token of a spent budget. Absent where nobody can know.
             */
            next_check?: string;
            /** @description Who runs it now, or has leased it to a worker. */
            node?: string;
            on_dead?: components["schemas"]["Follow"];
            on_success?: components["schemas"]["Follow"];
            /** @description The task that this one follows, or the group of tasks whose callback it is. */
            parent?: string;
            /** @description Byte for byte as it was enqueued. Absent when the payload is not JSON, see payload_base64. */
            payload?: unknown;
            /** @description A payload that a Go program enqueued and that is not JSON. */
            payload_base64?: string;
            policy?: string;
            /**
             * Format: int64
             * @description Version of the named policy; presets have one, 1. Absent for an inline policy.
             */
            policy_version?: number;
            /** Format: int64 */
            priority: number;
            /** @description Last reported by a Go handler on this node. */
            progress?: unknown;
            queue: string;
            /** @description JSON that the attempt that succeeded answered with. */
            result?: unknown;
            retry?: unknown;
            /**
             * Format: date-time
             * @description Not before this time: of the first attempt or of the next retry.
             */
            run_at: string;
            share_key?: string;
            /** Format: date-time */
            started_at?: string;
            /** @enum {string} */
            state: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /** @description What is done of it, in the order in which that ended, where one task is asked for. Of a task that is leased to a worker, what is not to be done again. */
            steps?: components["schemas"]["Step"][] | null;
            target?: components["schemas"]["Target"];
            timeout?: string;
            trace_parent?: string;
            type: string;
            /** Format: date-time */
            updated_at?: string;
            /** @description Why a pending task is not running. */
            waiting?: string;
            /** @description The remote worker that runs it now. */
            worker?: string;
        };
        Letter: {
            alert?: unknown;
            /**
             * Format: int64
             * @description Attempts started and spent.
             */
            attempt: number;
            attempts: components["schemas"]["Attempt"][] | null;
            /** @description Its last error. */
            callback_error?: string;
            /** @description Its state. */
            callback_state?: string;
            /** @description The on_success or on_dead task of this one, where one task is asked for. */
            callback_task?: string;
            cancel_requested?: boolean;
            /**
             * Format: int64
             * @description Grows with every run.
             */
            claim: number;
            /** @description Its state: when it has succeeded, what undoes the steps is enqueued. */
            compensation_state?: string;
            /** @description The task that undoes the steps of this one once it is canceled, where that was asked for and one task is asked for. */
            compensation_task?: string;
            /**
             * Format: int64
             * @description Runs that were lost, since their process died or the lease of their worker ended without an answer; they cost no attempt.
             */
            crashes: number;
            /** Format: date-time */
            created_at: string;
            /** @enum {string} */
            dead_reason?: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected";
            /** Format: date-time */
            deadline?: string;
            dedupe_key?: string;
            dedupe_window?: string;
            /** @description Of a task for a worker group that nobody takes. */
            dispatch?: components["schemas"]["Dispatch"];
            fallback?: components["schemas"]["Follow"];
            /** @description Its last error. */
            fallback_error?: string;
            /** @description Its state, where one task is asked for. */
            fallback_state?: string;
            /** @description The task that was enqueued when this one died. */
            fallback_task?: string;
            /** Format: date-time */
            finished_at?: string;
            /**
             * @description As what it follows its parent.
             * @enum {string}
             */
            follows?: "fallback" | "on_success" | "on_dead" | "compensation" | "group";
            /** @description The group of tasks that this one is a member of. */
            group?: string;
            id: string;
            key?: string;
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
            metadata?: {
                [key: string]: string;
            };
            /** @description The encryption key that nodes lack, of a task that waits for that. */
            missing_key?: string;
            /**
             * Format: date-time
             * @description When that is looked at again: the next run, the next probe of an open breaker, the next token of a spent budget. Absent where nobody can know.
             */
            next_check?: string;
            /** @description Who runs it now, or has leased it to a worker. */
            node?: string;
            on_dead?: components["schemas"]["Follow"];
            on_success?: components["schemas"]["Follow"];
            /** @description The task that this one follows, or the group of tasks whose callback it is. */
            parent?: string;
            /** @description Byte for byte as it was enqueued. Absent when the payload is not JSON, see payload_base64. */
            payload?: unknown;
            /** @description A payload that a Go program enqueued and that is not JSON. */
            payload_base64?: string;
            policy?: string;
            /**
             * Format: int64
             * @description Version of the named policy; presets have one, 1. Absent for an inline policy.
             */
            policy_version?: number;
            /** Format: int64 */
            priority: number;
            /** @description Last reported by a Go handler on this node. */
            progress?: unknown;
            queue: string;
            /** @description JSON that the attempt that succeeded answered with. */
            result?: unknown;
            retry?: unknown;
            /**
             * Format: date-time
             * @description Not before this time: of the first attempt or of the next retry.
             */
            run_at: string;
            share_key?: string;
            /** Format: date-time */
            started_at?: string;
            /** @enum {string} */
            state: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /** @description What is done of it, in the order in which that ended, where one task is asked for. Of a task that is leased to a worker, what is not to be done again. */
            steps?: components["schemas"]["Step"][] | null;
            target?: components["schemas"]["Target"];
            timeout?: string;
            trace_parent?: string;
            type: string;
            /** Format: date-time */
            updated_at?: string;
            /** @description Why a pending task is not running. */
            waiting?: string;
            /** @description The remote worker that runs it now. */
            worker?: string;
        };
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
            /** @description How long it is a member without another beat, 1s to 1h; 15s when absent, unless configured. */
            ttl?: string;
            /** @description http or https; the paths of tasks are added to its own. */
            url: string;
        };
        NewToken: {
            /** Format: date-time */
            created_at: string;
            created_by?: string;
            /** Format: date-time */
            expires_at?: string;
            id: string;
            name: string;
            /** @description All when absent. */
            queues?: string[] | null;
            /** Format: date-time */
            revoked_at?: string;
            revoked_by?: string;
            role: string;
            /** @description live, expired or revoked. */
            state: string;
            /** @description What its bearer sends. It is shown this once. */
            token: string;
        };
        Node: {
            /** @description Where its API listens. */
            address?: string;
            /** @description Address ranges that it may call beside public ones. */
            allow_targets?: string[] | null;
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
            queues: string[] | null;
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
            signs?: string[] | null;
            /** @description For how long the node that answers has seen no beat of this one. A node is dead after 5s. */
            silent?: string;
            /**
             * Format: int64
             * @description Attempts at most; 0 for one that left or died.
             */
            slots: number;
            /** Format: date-time */
            started_at: string;
            /**
             * @description Nodes that left or died are shown for an hour.
             * @enum {string}
             */
            state: "alive" | "left" | "dead";
            /** @description That it can start; @http makes the requests of tasks with a target, * stands for every type. */
            types: string[] | null;
            version?: string;
        };
        NodeTarget: {
            breaker: components["schemas"]["Breaker"];
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
            node: string;
            /** @description The handler of the type wants no guards: only an operator's order holds its tasks. */
            unguarded?: boolean;
            waiting: components["schemas"]["TargetWaiting"];
        };
        Nodes: {
            /**
             * Format: date-time
             * @description When the node that answers has read this from the store.
             */
            as_of: string;
            nodes: components["schemas"]["Node"][] | null;
            /** @description That was more than 5s ago: the store does not answer, and things may stand otherwise by now. */
            stale?: boolean;
            /**
             * Format: int64
             * @description How many there are, also beyond the limit.
             */
            total: number;
        };
        None: Record<string, never>;
        Operation: {
            /** @description What was asked for, of an action on tasks. */
            bulk?: components["schemas"]["Bulk"];
            /**
             * Format: int64
             * @description Of an action on tasks, those that were canceled or moved, or asked to end.
             */
            changed?: number;
            /** Format: date-time */
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
            /** Format: date-time */
            finished_at?: string;
            id: string;
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
            /** @enum {string} */
            state: "running" | "paused" | "done" | "canceled" | "failed";
            /**
             * Format: int64
             * @description Of the last 1000 redriven, those that had succeeded when the operation looked last; only with canary or stop_if_failing, else nobody counts them.
             */
            succeeded?: number;
            /** Format: date-time */
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
            /** Format: int64 */
            attempt?: number;
            /** @description Its last error, if it is dead or has failed since it was redriven. */
            error?: components["schemas"]["Failure"];
            id: string;
            key?: string;
            /**
             * Format: int64
             * @description In the order in which the letters go, from 1.
             */
            place: number;
            queue?: string;
            /** @description Why a dead letter died. */
            reason?: string;
            /** @description Of an action on tasks: what the task is now. */
            state?: string;
            /**
             * @description waiting: its turn has not come. skipped: it was no dead letter any more when its turn came. pending, running, succeeded, dead (again), canceled: it was redriven, and is that now. resent: another redrive has taken it since. gone: what became of it was deleted. Of an action on tasks: changed: was canceled, or its next run was moved. asked: was running, and was asked to end. left_running, left_ended, not_found: was left alone.
             * @enum {string}
             */
            status: "waiting" | "pending" | "running" | "succeeded" | "dead" | "canceled" | "resent" | "gone" | "skipped" | "changed" | "asked" | "left_running" | "left_ended" | "not_found";
            type?: string;
        };
        OperationItems: {
            items: components["schemas"]["OperationItem"][] | null;
            /** @description Of the next page; empty at the end. */
            next_cursor: string;
        };
        Operations: {
            operations: components["schemas"]["Operation"][] | null;
        };
        Plan: {
            /** @description What attempt 1, 2, … adds to it. */
            adds: number[] | null;
            advice?: string[] | null;
            /**
             * Format: int64
             * @description The first one included; 0 for unlimited.
             */
            attempts: number;
            delays: components["schemas"]["PlanDelay"][] | null;
            /** @description Longest time from the first attempt to the end of the last one, as far as the length of attempts is known. */
            elapsed: string;
            /** Format: double */
            fail_rate: number;
            fit?: components["schemas"]["PlanFitting"][] | null;
            /**
             * Format: int64
             * @description Retries that certainly end within the limit.
             */
            in_time: number;
            jitter?: components["schemas"]["PlanJitter"];
            /** @description Time that all attempts and waits have. */
            limit?: string;
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
            rules?: components["schemas"]["PlanRule"][] | null;
            /** @description Of an exponential schedule, before the cap. */
            sensitivities?: components["schemas"]["PlanSensitivity"][] | null;
            solution?: components["schemas"]["PlanSolution"];
            /** @description Probability that one of 1, 2, … attempts succeeds if they fail independently. */
            success: number[] | null;
            /** @description The schedule in one line. */
            summary: string;
            /** @description Nominal waits of all retries. */
            total: string;
            /** @description All waits under the jitter. */
            totals: components["schemas"]["PlanTotals"];
            warnings: components["schemas"]["PlanWarning"][] | null;
        };
        PlanDelay: {
            /** @description Sum of the nominal waits up to here. */
            at: string;
            /** @description No wait reaches it unless it equals min. */
            max: string;
            mean: string;
            min: string;
            /** @description Before jitter, under the cap. */
            nominal: string;
            /** Format: int64 */
            retry: number;
        };
        PlanFitting: {
            /** Format: int64 */
            attempts: number;
            elapsed: string;
            preset: string;
            purpose: string;
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
            kind: string;
            /**
             * Format: double
             * @description What one wave of retries keeps of the synchronized beat, as a share of power.
             */
            line: number;
            /** Format: double */
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
            /** Format: double */
            to: number;
            /**
             * Format: double
             * @description The largest at 1 to 5 beats per nominal wait.
             */
            worst_line: number;
        };
        PlanLoad: {
            at: components["schemas"]["PlanLoadAt"][] | null;
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
            /** Format: double */
            fail_rate: number;
            /**
             * Format: double
             * @description The same of this layer under the policy's retry budget, without the floor of the budget.
             */
            with_budget?: number;
        };
        PlanRequest: {
            alert?: unknown;
            /** @description Usual length of an attempt. */
            attempt_time?: string;
            /** @description kind, initial, multiplier, max, step, steps, jitter. */
            backoff?: unknown;
            breaker?: unknown;
            budget?: unknown;
            canary?: unknown;
            /** @description Time that the caller has, from the first attempt on. */
            deadline?: string;
            /**
             * Format: double
             * @description Share of attempts that fail, above 0 to 1; 0.5 when absent.
             */
            fail_rate?: number;
            fallback?: unknown;
            first_run_after?: string;
            /** @description Name the presets that keep the lower of ttl and deadline. */
            fit?: boolean;
            /**
             * Format: int64
             * @description The first attempt counts.
             */
            max_attempts?: number;
            /** Format: int64 */
            max_crashes?: number;
            never_on?: unknown;
            order_on_dead?: string;
            /** @description Attempts of the layers that call this one. */
            outer_attempts?: number[] | null;
            /** @description Name of a preset; the other keys of the policy override it. */
            preset?: string;
            /**
             * Format: double
             * @description First attempts per second.
             */
            rate?: number;
            retry_on?: unknown;
            /**
             * Format: int64
             * @description Retries to list, up to 10 000; 100 when absent.
             */
            rows?: number;
            rules?: unknown;
            /**
             * @description What to find the largest value of that keeps the lower of ttl and deadline.
             * @enum {string}
             */
            solve?: "initial" | "multiplier" | "retries";
            /** @description Limit of each attempt. */
            timeout?: string;
            /** @description Limit of all attempts and waits together. */
            ttl?: string;
            unlimited?: boolean;
            /**
             * Format: double
             * @description Share of the target's capacity that first attempts use.
             */
            utilization?: number;
        };
        PlanRule: {
            /** Format: int64 */
            attempts: number;
            /** @description The first 16. */
            delays: components["schemas"]["PlanDelay"][] | null;
            /** @description The expression of a rule that has no categories. */
            if?: string;
            /** Format: int64 */
            more?: number;
            then?: string;
            /** @description Of the first 1000 waits. */
            total: string;
            when: string[] | null;
        };
        PlanSensitivity: {
            /** @description Per 1 of the multiplier. */
            by_multiplier: string;
            /** @description Per retry. */
            by_retry: string;
            /** Format: int64 */
            retry: number;
        };
        PlanSolution: {
            initial?: string;
            limit: string;
            /** Format: double */
            multiplier?: number;
            /** Format: int64 */
            retries?: number;
            /** @description What is left of the limit. */
            slack: string;
        };
        PlanTotals: {
            max: string;
            mean: string;
            min: string;
        };
        PlanWarning: {
            code: string;
            field: string;
            message: string;
        };
        Policies: {
            policies: components["schemas"]["Policy"][] | null;
        };
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
            name: string;
            /** @description Its keys; absent of a version that is a deletion. */
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
            /** Format: date-time */
            updated_at?: string;
            /** @description Queues and types that name it. */
            used_by?: string[] | null;
            /**
             * Format: int64
             * @description Raised by every change; 1 for presets.
             */
            version: number;
            /** @description What is probably not meant. */
            warnings?: components["schemas"]["PlanWarning"][] | null;
        };
        PolicyCanary: {
            /** @description Its keys. */
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
            deleted: boolean;
            dry_run?: boolean;
        };
        PolicyForm: {
            alert?: unknown;
            /** @description kind, initial, multiplier, max, step, steps, jitter. */
            backoff?: unknown;
            breaker?: unknown;
            budget?: unknown;
            /** @description The share of the tasks for which this version holds, such as "10%" or 10, above 0 to 100; the version before holds for the rest. */
            canary?: unknown;
            /** @description The task that follows a dead one: type, queue, policy, payload, target. */
            fallback?: unknown;
            first_run_after?: string;
            /**
             * Format: int64
             * @description The first attempt counts; 1 turns retries off.
             */
            max_attempts?: number;
            /** Format: int64 */
            max_crashes?: number;
            never_on?: unknown;
            /** @enum {string} */
            order_on_dead?: "block" | "skip" | "park";
            /** @description Name of a preset; the other keys override it. */
            preset?: string;
            retry_on?: unknown;
            /** @description The first that matches decides; when is a list of categories or an expression in CEL. */
            rules?: unknown;
            /** @description Limit of each attempt. */
            timeout?: string;
            /** @description Limit of all attempts and waits together. */
            ttl?: string;
            unlimited?: boolean;
        };
        Poll: {
            /** @description How long the tasks are the worker's unless it extends that, 1s to 1h; 30s when absent. */
            lease?: string;
            /**
             * Format: int64
             * @description Tasks at most, 1 to 1000, 1 when absent.
             */
            max?: number;
            /** @description default when absent. */
            queues?: string[] | null;
            /** @description Release of the worker, at most 64 bytes without control characters: attempts and statistics name it instead of the node's. */
            release?: string;
            /** @description What the worker can start. All types but HTTP requests when absent. */
            types?: string[] | null;
            /** @description How long to wait for the first one, at most 60s; 0s asks for what is due now. */
            wait?: string;
            /** @description Name of the worker, 1 to 128 of the characters A-Z a-z 0-9 . _ : -; each process has its own. */
            worker: string;
        };
        Polled: {
            tasks: components["schemas"]["LeasedTask"][] | null;
        };
        Problem: {
            /** @description Stable name of the problem. */
            code: string;
            detail?: string;
            /** @description What is wrong where in the request. */
            errors?: components["schemas"]["Field"][] | null;
            /** @description The task in the way. */
            existing?: string;
            hint?: string;
            /** @description When to come back. */
            retry_after?: string;
            /** @description Of the task or operation, where its state is the problem. */
            state?: string;
            /** Format: int64 */
            status: number;
            title: string;
        };
        Purge: {
            /** @description Only count. */
            dry_run?: boolean;
            filter?: components["schemas"]["DeadFilter"];
            ids?: string[] | null;
        };
        Purged: {
            /**
             * Format: date-time
             * @description Of a dry run by filter: when it began to count. Give it as the filter's died_before, and no letters are meant that died since.
             */
            died_before?: string;
            dry_run?: boolean;
            /** Format: int64 */
            matched: number;
        };
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
            name: string;
            paused: boolean;
            policy?: string;
            /** @description Limits of each share key; absent for none. */
            shares?: components["schemas"]["ShareLimits"];
            /**
             * @description What becomes of tasks that nothing can start.
             * @enum {string}
             */
            unknown_type: "park" | "dead";
            /** Format: date-time */
            updated_at?: string;
            /**
             * Format: int64
             * @description Share of a node's slots against other queues.
             */
            weight: number;
        };
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
            policy?: string;
            /** @description Limits of each share key. */
            shares?: components["schemas"]["ShareLimitsChange"];
            /** @description park (default) or dead. */
            unknown_type?: string;
            /**
             * Format: int64
             * @description Share of a node's slots against other queues, 1 when 0.
             */
            weight?: number;
        };
        QueueCounts: {
            /** Format: int64 */
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
            /** Format: int64 */
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
            queue: string;
            shares: components["schemas"]["QueueShare"][] | null;
            /**
             * Format: int64
             * @description Share keys of which this node has tasks.
             */
            total: number;
        };
        QueueStats: {
            /** @description Each counted no further than 10000. */
            counts: components["schemas"]["QueueCounts"];
            name: string;
            paused: boolean;
        };
        Queues: {
            queues: components["schemas"]["Queue"][] | null;
        };
        Redrive: {
            /**
             * Format: int64
             * @description How many letters go first, at most 1000; the others follow when all of these have succeeded. If one dies again the operation fails; if some have not ended after 10 minutes it pauses.
             */
            canary?: number;
            /** @description Only count. */
            dry_run?: boolean;
            filter?: components["schemas"]["DeadFilter"];
            ids?: string[] | null;
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
            /** Format: date-time */
            died_at: string;
            id: string;
            key?: string;
            /** @description Of its last error. */
            message?: string;
            queue: string;
            reason: string;
            type: string;
        };
        Redriven: {
            /**
             * Format: date-time
             * @description Of a dry run by filter: when it began to count. Give it as the filter's died_before, and no letters are meant that died since.
             */
            died_before?: string;
            dry_run?: boolean;
            /** Format: int64 */
            matched: number;
            /** @description Ids that are not dead letters. */
            missing?: string[] | null;
            /** @description Id to follow under /v1/operations; empty when the redrive is already complete or was a dry run. */
            operation: string;
            /** @description Of a dry run, the letters that would go first, at most 10. */
            sample?: components["schemas"]["RedriveSample"][] | null;
        };
        Reschedule: {
            /** @description The same, counted from now. Required without run_at. */
            delay?: string;
            /**
             * Format: date-time
             * @description Not before this time. Required without delay.
             */
            run_at?: string;
        };
        Rule: {
            channels?: string[] | null;
            cooldown?: string;
            digest?: string;
            disabled?: boolean;
            for?: string;
            name: string;
            on: string;
            recovery?: boolean;
            severity?: string;
            when?: string;
        };
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
            /** @description An interval of at least 1s: ticks are its multiples after start. */
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
            /** @description Its task, or that of a later trigger. */
            last_task?: string;
            /** @description file, where the configuration file owns it; code, where the code of an application does while it runs. */
            managed?: string;
            /** @description What becomes of ticks more than 10s late: skip (left out), fire_once (the last one runs for all; the default), fire_all (each runs that is not older than window). */
            misfire?: string;
            /**
             * Format: int64
             * @description Ticks left out for their lateness.
             */
            missed: number;
            name: string;
            /**
             * Format: date-time
             * @description The next tick. Absent when there is none, or while the schedule is paused.
             */
            next?: string;
            /** @description What a tick does while the last task is pending or running: allow (the default), skip, replace (cancel that one), queue (wait for its end). */
            overlap?: string;
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
            /** Format: date-time */
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
            /** @description Of fire_all: how old a tick can be, 1h when absent, at most 744h. */
            window?: string;
            /**
             * @description IANA time zone of cron, UTC when absent.
             * @example Asia/Shanghai
             */
            zone?: string;
        };
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
            /** @description An interval of at least 1s: ticks are its multiples after start. */
            every?: string;
            /** @description What becomes of ticks more than 10s late: skip (left out), fire_once (the last one runs for all; the default), fire_all (each runs that is not older than window). */
            misfire?: string;
            /** @description What a tick does while the last task is pending or running: allow (the default), skip, replace (cancel that one), queue (wait for its end). */
            overlap?: string;
            /**
             * Format: date-time
             * @description Of every; the beginning of 1970 in UTC when absent, so that 15m is at :00, :15, :30 and :45.
             */
            start?: string;
            /** @description What each tick enqueues. */
            task: components["schemas"]["ScheduledTask"];
            /** @description Of fire_all: how old a tick can be, 1h when absent, at most 744h. */
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
            /** @description Limit of each attempt. */
            timeout?: string;
            /** @description Limit of all attempts together, from the moment the tick was enqueued. */
            ttl?: string;
            /** @description What kind of task this is. Defaults to http when target.url is given. */
            type?: string;
        };
        Schedules: {
            schedules: components["schemas"]["Schedule"][] | null;
        };
        Self: {
            /** @description No token is needed: everybody who reaches the server may do everything. */
            open: boolean;
            /** @description As x-permission of the calls. */
            permissions: string[] | null;
            /** @description That the token is for; all when empty. */
            queues: string[] | null;
            /** @enum {string} */
            role?: "viewer" | "operator" | "admin" | "enqueuer" | "worker";
            server: components["schemas"]["SelfServer"];
            /** @description null where none is needed. */
            token: components["schemas"]["SelfToken"];
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
            node: string;
            /** @description Of the application. */
            release?: string;
            safety: components["schemas"]["SelfSafety"];
            /** Format: date-time */
            started_at?: string;
            /** @description The kind of the store. */
            store?: string;
            /**
             * Format: date-time
             * @description By the clock of the server.
             */
            time: string;
            version: string;
        };
        SelfToken: {
            /**
             * Format: date-time
             * @description Absent for one that does not.
             */
            expires_at?: string;
            id: string;
            name: string;
            /** @description What its text begins with. */
            prefix: string;
        };
        Series: {
            /** Format: date-time */
            from: string;
            points: components["schemas"]["SeriesPoint"][] | null;
            /** @description Empty for all, or all that the token is for. */
            queue: string;
            /**
             * @description Steps below a minute are of the memory of the node that answers.
             * @enum {string}
             */
            source: "all nodes" | "this node";
            step: string;
            /** Format: date-time */
            to: string;
        };
        SeriesBacklog: {
            /**
             * Format: int64
             * @description Those of them that were due in the memory of nodes: at least so many.
             */
            due: number;
            /** @description How long the oldest had been due. */
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
            /** Format: double */
            canceled: number;
            /** Format: double */
            dead: number;
            /** Format: double */
            succeeded: number;
        };
        SeriesPercentiles: {
            p50: string;
            p95: string;
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
            backlog: components["schemas"]["SeriesBacklog"];
            /**
             * Format: double
             * @description Those of them that failed, per second.
             */
            failed: number | null;
            /** @description Tasks that ended, per second. */
            finished: components["schemas"]["SeriesFinished"];
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
            run: components["schemas"]["SeriesPercentiles"];
            /** @description From when an attempt was due to its start; null without attempts. */
            wait: components["schemas"]["SeriesPercentiles"];
        };
        SettleResult: {
            id: string;
            /** @description What the task is now. */
            state?: string;
            /** @enum {string} */
            status: "ok" | "stale_claim" | "not_found";
        };
        SettleTasks: {
            /** @description 1 to 1000 results. */
            results: components["schemas"]["TaskResult"][] | null;
        };
        Settled: {
            results: components["schemas"]["SettleResult"][] | null;
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
            id: string;
            name: string;
            /** @description It was there before, with the same payload. */
            repeated?: boolean;
            /** @description What the task is. */
            state: string;
            /** @description The task waited for it, and is due now. */
            woken?: boolean;
        };
        SimComparison: {
            /** Format: date-time */
            begin?: string;
            /** Format: int64 */
            events: number;
            /** Format: double */
            fault_from_s: number;
            /** Format: double */
            fault_to_s: number;
            name: string;
            parameters?: components["schemas"]["SimParameter"][] | null;
            scenario?: string;
            /** Format: int64 */
            seed: number;
            shows?: string;
            variants: components["schemas"]["SimVariant"][] | null;
        };
        SimContest: {
            /** @description At most 4. With fewer than two, our own clients and the main control come first. */
            policies?: components["schemas"]["SimPolicy"][] | null;
            /** @description Id of a scenario: S4. */
            scenario: string;
            /**
             * Format: int64
             * @description Of the random numbers, 1 when absent.
             */
            seed?: number;
        };
        SimCount: {
            /** Format: int64 */
            count: number;
            name: string;
        };
        SimFigure: {
            name: string;
            unit?: string;
            /** Format: double */
            value: number;
        };
        SimMetrics: {
            /** Format: int64 */
            abandoned: number;
            /** Format: double */
            amplification: number;
            /** Format: int64 */
            attempts: number;
            denied?: components["schemas"]["SimCount"][] | null;
            /** Format: int64 */
            failed: number;
            fault: boolean;
            /** Format: int64 */
            good: number;
            /** Format: int64 */
            max_in_flight: number;
            /** Format: int64 */
            offered: number;
            /** Format: double */
            p50_s: number;
            /** Format: double */
            p99_s: number;
            /** Format: double */
            peak_10s: number;
            /** Format: double */
            peak_1s: number;
            /** Format: double */
            recovery_s: number | null;
            /** Format: int64 */
            retries: number;
            /** Format: double */
            success: number;
        };
        SimParameter: {
            name: string;
            value: string;
        };
        SimPolicy: {
            /** @description A policy in the form of the configuration. */
            policy?: unknown;
            /** @description Name of a preset, or of a policy of this server. */
            preset?: string;
        };
        SimReport: {
            /** Format: int64 */
            events: number;
            name: string;
            passed: boolean;
            scenario: string;
            /** Format: int64 */
            seed: number;
            variants: components["schemas"]["SimVariant"][] | null;
            verdicts: components["schemas"]["SimVerdict"][] | null;
        };
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
            id: string;
            name: string;
            parameters: components["schemas"]["SimParameter"][] | null;
            shows: string;
            source: string;
        };
        SimScenarios: {
            scenarios: components["schemas"]["SimScenario"][] | null;
        };
        SimSeries: {
            attempts: number[] | null;
            good: number[] | null;
            in_flight: number[] | null;
            offered: number[] | null;
            p50_s: number[] | null;
            p99_s: number[] | null;
            /** Format: double */
            step_s: number;
        };
        SimVariant: {
            control?: boolean;
            figures?: components["schemas"]["SimFigure"][] | null;
            metrics: components["schemas"]["SimMetrics"];
            name: string;
            series?: components["schemas"]["SimSeries"];
        };
        SimVerdict: {
            bound: string;
            measured: string;
            name: string;
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
            /** @description For how long the oldest pending task has been due. */
            oldest_due: string;
            /** @description By name. */
            queues: components["schemas"]["QueueStats"][] | null;
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
             * @description Tasks in its memory that are not due.
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
            growth: components["schemas"]["StatsGrowth"];
            to: components["schemas"]["StatsSide"];
            type: string;
        };
        StatsComparisons: {
            /** @enum {string} */
            by: "release" | "policy_version";
            comparisons: components["schemas"]["StatsComparison"][] | null;
        };
        StatsGrowth: {
            /** Format: double */
            delay_p50?: number;
            /** Format: double */
            delay_p99?: number;
            /** Format: double */
            p50?: number;
            /** Format: double */
            p99?: number;
        };
        StatsSide: {
            /**
             * Format: int64
             * @description Attempts.
             */
            count: number;
            /** @description Half of the attempts started no later after they were due. */
            delay_p50: string;
            delay_p99: string;
            /**
             * Format: int64
             * @description Those of them that did not succeed.
             */
            failed: number;
            /** @description The release, (none) where it has no name; or the policy and its version: payment@3. */
            name: string;
            /** @description Half of the attempts ran no longer. */
            p50: string;
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
            /** Format: date-time */
            ended_at?: string;
            name: string;
            /**
             * Format: int64
             * @description Of its name in one attempt, from 1; 0 for a signal, which is no step of a handler.
             */
            occurrence: number;
            /** @description What it gave. */
            result?: unknown;
            /** Format: date-time */
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
            error?: components["schemas"]["Error"];
            id: string;
            name: string;
            /** Format: int64 */
            occurrence: number;
            /**
             * @description stale_claim, not_found: stop, the task is not this worker's any more, and the step is not kept. error: the step is not kept, error says why.
             * @enum {string}
             */
            status: "ok" | "stale_claim" | "not_found" | "error";
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
            /** Format: date-time */
            at: string;
            node: string;
            /** @enum {string} */
            part: "breaker" | "budget";
            reason?: string;
            /** @description Of a breaker closed, open, half_open or ramping; of a budget exhausted or refilled. */
            state: string;
            /**
             * Format: date-time
             * @description When an open breaker probes, or a budget has its next token.
             */
            until?: string;
            was?: string;
        };
        TargetHistory: {
            changes: components["schemas"]["TargetChange"][] | null;
        };
        TargetOrder: {
            /** @enum {string} */
            action: "open" | "close" | "reset";
            /** Format: date-time */
            at: string;
        };
        TargetState: {
            breaker: components["schemas"]["Breaker"];
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
            nodes: components["schemas"]["NodeTarget"][] | null;
            /** @description What an operator said last; one to open holds, others are shown for an hour. */
            order?: components["schemas"]["TargetOrder"];
            /** @description The handler of the type wants no guards: only an operator's order holds its tasks. */
            unguarded?: boolean;
            waiting: components["schemas"]["TargetWaiting"];
        };
        TargetWaiting: {
            /** Format: int64 */
            breaker: number;
            /** Format: int64 */
            budget: number;
            /** Format: int64 */
            concurrency: number;
            /**
             * Format: int64
             * @description The target asked for a pause, or recovers.
             */
            rate: number;
        };
        Targets: {
            targets: components["schemas"]["TargetState"][] | null;
            /**
             * Format: int64
             * @description How many there are, also beyond the limit.
             */
            total: number;
        };
        Task: {
            alert?: unknown;
            /**
             * Format: int64
             * @description Attempts started and spent.
             */
            attempt: number;
            /** @description Its last error. */
            callback_error?: string;
            /** @description Its state. */
            callback_state?: string;
            /** @description The on_success or on_dead task of this one, where one task is asked for. */
            callback_task?: string;
            cancel_requested?: boolean;
            /**
             * Format: int64
             * @description Grows with every run.
             */
            claim: number;
            /** @description Its state: when it has succeeded, what undoes the steps is enqueued. */
            compensation_state?: string;
            /** @description The task that undoes the steps of this one once it is canceled, where that was asked for and one task is asked for. */
            compensation_task?: string;
            /**
             * Format: int64
             * @description Runs that were lost, since their process died or the lease of their worker ended without an answer; they cost no attempt.
             */
            crashes: number;
            /** Format: date-time */
            created_at: string;
            /** @enum {string} */
            dead_reason?: "exhausted" | "permanent" | "expired" | "crash_loop" | "no_handler" | "rejected";
            /** Format: date-time */
            deadline?: string;
            dedupe_key?: string;
            dedupe_window?: string;
            /** @description Of a task for a worker group that nobody takes. */
            dispatch?: components["schemas"]["Dispatch"];
            fallback?: components["schemas"]["Follow"];
            /** @description Its last error. */
            fallback_error?: string;
            /** @description Its state, where one task is asked for. */
            fallback_state?: string;
            /** @description The task that was enqueued when this one died. */
            fallback_task?: string;
            /** Format: date-time */
            finished_at?: string;
            /**
             * @description As what it follows its parent.
             * @enum {string}
             */
            follows?: "fallback" | "on_success" | "on_dead" | "compensation" | "group";
            /** @description The group of tasks that this one is a member of. */
            group?: string;
            id: string;
            key?: string;
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
            metadata?: {
                [key: string]: string;
            };
            /** @description The encryption key that nodes lack, of a task that waits for that. */
            missing_key?: string;
            /**
             * Format: date-time
             * @description When that is looked at again: the next run, the next probe of an open breaker, the next token of a spent budget. Absent where nobody can know.
             */
            next_check?: string;
            /** @description Who runs it now, or has leased it to a worker. */
            node?: string;
            on_dead?: components["schemas"]["Follow"];
            on_success?: components["schemas"]["Follow"];
            /** @description The task that this one follows, or the group of tasks whose callback it is. */
            parent?: string;
            /** @description Byte for byte as it was enqueued. Absent when the payload is not JSON, see payload_base64. */
            payload?: unknown;
            /** @description A payload that a Go program enqueued and that is not JSON. */
            payload_base64?: string;
            policy?: string;
            /**
             * Format: int64
             * @description Version of the named policy; presets have one, 1. Absent for an inline policy.
             */
            policy_version?: number;
            /** Format: int64 */
            priority: number;
            /** @description Last reported by a Go handler on this node. */
            progress?: unknown;
            queue: string;
            /** @description JSON that the attempt that succeeded answered with. */
            result?: unknown;
            retry?: unknown;
            /**
             * Format: date-time
             * @description Not before this time: of the first attempt or of the next retry.
             */
            run_at: string;
            share_key?: string;
            /** Format: date-time */
            started_at?: string;
            /** @enum {string} */
            state: "pending" | "running" | "succeeded" | "dead" | "canceled";
            /** @description What is done of it, in the order in which that ended, where one task is asked for. Of a task that is leased to a worker, what is not to be done again. */
            steps?: components["schemas"]["Step"][] | null;
            target?: components["schemas"]["Target"];
            timeout?: string;
            trace_parent?: string;
            type: string;
            /** Format: date-time */
            updated_at?: string;
            /** @description Why a pending task is not running. */
            waiting?: string;
            /** @description The remote worker that runs it now. */
            worker?: string;
        };
        TaskError: {
            /** @description network, timeout, conflict, throttled, unavailable, permanent, ...; found from type and message when absent. */
            category?: string;
            /** @description HTTP status, SQLSTATE, errno. */
            code?: string;
            message: string;
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
            metadata?: {
                [key: string]: string;
            };
            /** @description An ordering key or a type as it is, or a part of the last error's message. */
            q?: string;
            queue?: string;
            /**
             * Format: date-time
             * @description Created at or after.
             */
            since?: string;
            /** @description pending, or for a cancel also running; without it every task to which the action can be done. */
            state?: string;
            target?: string;
            /** @description Trace id. */
            trace?: string;
            type?: string;
            /**
             * Format: date-time
             * @description Created before.
             */
            until?: string;
        };
        TaskGroup: {
            callback: components["schemas"]["Follow"];
            /** @description The callback, of a group that is done. */
            callback_task?: string;
            /** Format: int64 */
            canceled: number;
            /** Format: date-time */
            closed_at?: string;
            /** Format: date-time */
            created_at: string;
            /** Format: int64 */
            dead: number;
            /** Format: date-time */
            done_at?: string;
            id: string;
            label?: string;
            /** Format: int64 */
            members: number;
            /**
             * @description open takes members; closed waits for those that live; done has enqueued its callback.
             * @enum {string}
             */
            state: "open" | "closed" | "done";
            /** Format: int64 */
            succeeded: number;
        };
        TaskGroupDraft: {
            /** @description The task that is enqueued once when the group is closed and all its members have ended; in the queue default when it names none. */
            callback: components["schemas"]["Follow"];
            /** @description UUID of version 7, made by the caller. A repeat with the same label and callback answers with the first group. Made by the server when absent. */
            id?: string;
            /** @description For people. At most 200 bytes. */
            label?: string;
        };
        TaskGroups: {
            next_cursor: string;
            task_groups: components["schemas"]["TaskGroup"][] | null;
        };
        TaskResult: {
            /** Format: int64 */
            claim: number;
            /** @description Of outcomes that are not success. */
            error?: components["schemas"]["TaskError"];
            id: string;
            /**
             * @description released: hand it back, at no cost. snoozed: run it again after retry_after, at no cost.
             * @enum {string}
             */
            outcome: "succeeded" | "failed" | "snoozed" | "released" | "dead" | "canceled";
            /** @description JSON of at most 64 KiB, kept with a task that succeeded. */
            result?: unknown;
            /** @description Of failed: in place of the policy's delay. Of snoozed: required. */
            retry_after?: string;
        };
        Tasks: {
            next_cursor: string;
            tasks: components["schemas"]["Task"][] | null;
        };
        Ticks: {
            next: string[] | null;
        };
        Token: {
            /** Format: date-time */
            created_at: string;
            created_by?: string;
            /** Format: date-time */
            expires_at?: string;
            id: string;
            name: string;
            /** @description All when absent. */
            queues?: string[] | null;
            /** Format: date-time */
            revoked_at?: string;
            revoked_by?: string;
            role: string;
            /** @description live, expired or revoked. */
            state: string;
        };
        TokenSpec: {
            /** @description 8 of the characters a-z and 2-7, chosen at random; made when absent. Who gives it knows what to revoke if the answer is lost: a repeat is a conflict. */
            id?: string;
            /** @description Who or what bears the token, for people: 1 to 128 characters. */
            name: string;
            /** @description The queues that it is for; all when absent. Not for admins. */
            queues?: string[] | null;
            /** @enum {string} */
            role: "viewer" | "operator" | "admin" | "enqueuer" | "worker";
            /** @description How long it is good, at most 10 years; forever when absent. */
            ttl?: string;
        };
        Tokens: {
            tokens: components["schemas"]["Token"][] | null;
        };
        Trigger: {
            /** @description UUID of version 7 for the task, made by the caller, so that a repeat answers with the first task. */
            id?: string;
        };
        Upcoming: {
            /** @description False where more tasks waited than were looked at, and one that was not may be tried before the last of these. */
            complete: boolean;
            tasks: components["schemas"]["Task"][] | null;
        };
        Wake: {
            /** @description Numbers of lanes whose rows changed, at most 4096; none for anything. */
            lanes: number[] | null;
        };
        WhatIf: {
            /** @description Only tasks of which an attempt ran under this policy, in any version. */
            of?: string;
            /** @description At most 4, to compare with what was recorded and with the policies of now. */
            policies?: components["schemas"]["WhatIfPolicy"][] | null;
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
            target?: string;
            /**
             * Format: int64
             * @description At most so many tasks, the newest first: up to 10 000, 2000 when absent.
             */
            tasks?: number;
            type?: string;
            /**
             * Format: date-time
             * @description Tasks created before; now when absent.
             */
            until?: string;
        };
        WhatIfLimit: {
            /** @enum {string} */
            code: "model" | "load" | "guessed" | "left_out" | "kept" | "schedule" | "open" | "now";
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
            /** Format: date-time */
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
            /** Format: date-time */
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
            limits: components["schemas"]["WhatIfLimit"][] | null;
            read: components["schemas"]["WhatIfRead"];
            /** @description What was recorded; then each task under the policy that holds for it now; then the policies that are tried, in their order. */
            runs: components["schemas"]["WhatIfRun"][] | null;
            /** Format: int64 */
            seed: number;
            /** @description Time between two values of a series. */
            step: string;
        };
        WhatIfRun: {
            /** Format: int64 */
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
            /** @enum {string} */
            kind: "recorded" | "current" | "tried";
            /**
             * Format: int64
             * @description Attempts at once, at most.
             */
            most_in_flight: number;
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
            attempts: number[] | null;
            /** @description Tasks. */
            succeeded: number[] | null;
            /** @description First attempts that were due. */
            tasks: number[] | null;
        };
        WhatIfSpans: {
            longest?: string;
            p50: string;
            p99: string;
        };
        Woken: Record<string, never>;
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
                content?: never;
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
                content?: never;
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
                limit?: number | null;
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
                limit?: number | null;
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
                /** @description pending, running, succeeded, dead or canceled; or failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given. */
                state?: string;
                type?: string;
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
                target?: string;
                /** @description With at least so many attempts. */
                attempt_min?: number;
                /** @description name:value; repeatable, all must be there. */
                metadata?: string[] | null;
                /** @description The id of a task, or its first 8 digits or more; else an ordering key or a type as it is, or a part of the last error's message. */
                q?: string;
                /** @description exhausted, permanent, expired, crash_loop, no_handler or rejected. */
                reason?: string;
                /** @description Fingerprint of the last error. */
                fingerprint?: string;
                /** @description Died before. */
                died_before?: string;
                /** @description Letters per page, 1 to 500, 100 when absent. */
                limit?: number | null;
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
                /** @description pending, running, succeeded, dead or canceled; or failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given. */
                state?: string;
                type?: string;
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
                target?: string;
                /** @description With at least so many attempts. */
                attempt_min?: number;
                /** @description name:value; repeatable, all must be there. */
                metadata?: string[] | null;
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
                /** @description pending, running, succeeded, dead or canceled; or failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given. */
                state?: string;
                type?: string;
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
                target?: string;
                /** @description With at least so many attempts. */
                attempt_min?: number;
                /** @description name:value; repeatable, all must be there. */
                metadata?: string[] | null;
                /** @description The id of a task, or its first 8 digits or more; else an ordering key or a type as it is, or a part of the last error's message. */
                q?: string;
                /** @description exhausted, permanent, expired, crash_loop, no_handler or rejected. */
                reason?: string;
                /** @description Fingerprint of the last error. */
                fingerprint?: string;
                /** @description Died before. */
                died_before?: string;
                /** @description Groups, 1 to 500, 100 when absent. */
                limit?: number | null;
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
                /** @description pending, running, succeeded, dead or canceled; or failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given. */
                state?: string;
                type?: string;
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
                target?: string;
                /** @description With at least so many attempts. */
                attempt_min?: number;
                /** @description name:value; repeatable, all must be there. */
                metadata?: string[] | null;
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
                state?: string;
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
                limit?: number | null;
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
                limit?: number | null;
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
                limit?: number | null;
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
                limit?: number | null;
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
                limit?: number | null;
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
                version?: number | null;
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
                version?: number | null;
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
                version?: number | null;
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
                version?: number | null;
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
                limit?: number | null;
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
                n?: number | null;
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
                n?: number | null;
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
                limit?: number | null;
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
                limit?: number | null;
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
                /** @description pending, running, succeeded, dead or canceled; or failed: tasks that have failed and not succeeded since, whatever their state, the newest failure first; of the last hour, and the newest 1000, unless failed_since or failed_until is given. */
                state?: string;
                type?: string;
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
                target?: string;
                /** @description With at least so many attempts. */
                attempt_min?: number;
                /** @description name:value; repeatable, all must be there. */
                metadata?: string[] | null;
                /** @description The id of a task, or its first 8 digits or more; else an ordering key or a type as it is, or a part of the last error's message. */
                q?: string;
                /** @description Pending tasks that wait for this reason, as their field waiting says it, such as key blocked. */
                waiting?: string;
                /** @description Tasks per page, 1 to 500, 100 when absent. */
                limit?: number | null;
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
    "list-upcoming": {
        parameters: {
            query?: {
                queue?: string;
                /** @description Tasks, 1 to 100, 10 when absent. */
                limit?: number | null;
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

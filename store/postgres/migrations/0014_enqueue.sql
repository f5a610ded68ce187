-- outlast_enqueue inserts a task in the transaction of its caller: docs/how-to/enqueue-from-sql.md.
-- It refuses with the messages of POST /v1/tasks. All functions beside it are its own parts.

CREATE OR REPLACE FUNCTION outlast_refuse(field text, message text, hint text, code text DEFAULT '22023') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION USING MESSAGE = concat(field, ': ', message), DETAIL = field, HINT = hint, ERRCODE = code;
END $$;

-- What may be shown of a value that was given.
CREATE OR REPLACE FUNCTION outlast_shown(value json) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE json_typeof(value) WHEN 'object' THEN 'an object' WHEN 'array' THEN 'a list' ELSE left(value::text, 60) END
$$;

CREATE OR REPLACE FUNCTION outlast_quoted(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_json(left(value, 80) || CASE WHEN length(value) > 80 THEN '…' ELSE '' END)::text
$$;

-- Refuses all but an object with some of the known keys, each of them once.
CREATE OR REPLACE FUNCTION outlast_fields(path text, object json, known text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  under CONSTANT text := CASE path WHEN 'task' THEN '' ELSE path || '.' END;
  name text;
  seen text[] := '{}';
BEGIN
  IF json_typeof(object) <> 'object' THEN
    PERFORM outlast_refuse(path, 'an object is wanted, not ' || outlast_shown(object), 'such as {"type": "email"}');
  END IF;
  FOR name IN SELECT json_object_keys(object) LOOP
    IF name = ANY(seen) THEN
      PERFORM outlast_refuse(under || name, 'is given twice', 'remove one of them');
    ELSIF name <> ALL(known) THEN
      PERFORM outlast_refuse(under || name, 'unknown key', 'known keys are ' || array_to_string(known, ', '));
    END IF;
    seen := seen || name;
  END LOOP;
EXCEPTION WHEN untranslatable_character OR invalid_text_representation THEN
  PERFORM outlast_refuse(path, 'has \u0000 or half a surrogate pair in a text, which PostgreSQL cannot read', 'leave it out of texts, and give a payload with it as the second argument');
END $$;

-- A text, null if it was left out.
CREATE OR REPLACE FUNCTION outlast_text(field text, value json, wanted text DEFAULT 'a text') RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF json_typeof(value) NOT IN ('string', 'null') THEN
    PERFORM outlast_refuse(field, wanted || ' is wanted, not ' || outlast_shown(value), 'write it in quotes');
  END IF;
  RETURN value #>> '{}';
EXCEPTION WHEN untranslatable_character OR invalid_text_representation THEN
  PERFORM outlast_refuse(field, 'contains a control character', 'leave it out; of bytes send a hash or their hexadecimal form');
END $$;

CREATE OR REPLACE FUNCTION outlast_plain(field text, value text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF value ~ '[\u0001-\u001f\u007f-\u009f]' THEN
    PERFORM outlast_refuse(field, 'contains a control character', 'leave it out; of bytes send a hash or their hexadecimal form');
  END IF;
  RETURN value;
END $$;

CREATE OR REPLACE FUNCTION outlast_name(field text, value text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  hint CONSTANT text := 'names have 1 to 128 of the characters A-Z a-z 0-9 . _ : -';
BEGIN
  IF length(value) > 128 THEN
    PERFORM outlast_refuse(field, 'has ' || octet_length(value) || ' characters; the limit is 128', hint);
  ELSIF value !~ '^[A-Za-z0-9._:-]+$' THEN
    PERFORM outlast_refuse(field, outlast_quoted(value) || ' has a character that is not possible', hint);
  END IF;
  RETURN value;
END $$;

CREATE OR REPLACE FUNCTION outlast_key(field text, value json, hint text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  key CONSTANT text := outlast_text(field, value);
  size CONSTANT integer := octet_length(convert_to(key, 'UTF8'));
BEGIN
  IF size = 0 THEN
    PERFORM outlast_refuse(field, 'is empty', hint);
  ELSIF size > 512 THEN
    PERFORM outlast_refuse(field, 'has ' || size || ' bytes; the limit is 512', 'send a hash of what is longer');
  END IF;
  RETURN outlast_plain(field, key);
END $$;

CREATE OR REPLACE FUNCTION outlast_whole(field text, value json, highest bigint, lowest bigint, hint text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF json_typeof(value) = 'null' THEN
    RETURN NULL;
  ELSIF value::text !~ '^-?[0-9]{1,18}$' THEN
    PERFORM outlast_refuse(field, 'a whole number is wanted, not ' || outlast_shown(value), hint);
  ELSIF value::text::bigint NOT BETWEEN lowest AND highest THEN
    PERFORM outlast_refuse(field, concat(value, ' is outside ', lowest, ' to ', highest), hint);
  END IF;
  RETURN value::text::bigint;
END $$;

-- A duration as Go writes it, in ns.
CREATE OR REPLACE FUNCTION outlast_duration(field text, value json) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  given CONSTANT text := outlast_text(field, value, 'a duration');
  ns numeric;
BEGIN
  IF given ~ '^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$' AND length(given) <= 200 THEN
    SELECT coalesce(sum(trunc(part[1]::numeric * CASE part[2] WHEN 'h' THEN 3600000000000 WHEN 'm' THEN 60000000000 WHEN 's' THEN 1000000000
      WHEN 'ms' THEN 1000000 WHEN 'ns' THEN 1 ELSE 1000 END)), 0) INTO ns
    FROM regexp_matches(given, '([0-9.]+)(ns|us|µs|μs|ms|s|m|h)', 'g') part;
    IF ns < 9223372036854775807 THEN
      RETURN CASE WHEN given LIKE '-%' THEN -ns ELSE ns END;
    END IF;
  END IF;
  IF given IS NOT NULL THEN
    PERFORM outlast_refuse(field, outlast_quoted(given) || ' is not a duration; write a number and a unit, such as 1.5s, 200ms or 2h45m', 'such as 1.5s, 200ms or 2h45m');
  END IF;
  RETURN NULL;
END $$;

-- A time of RFC 3339 in µs since 1970, with what is finer behind the point.
CREATE OR REPLACE FUNCTION outlast_moment(field text, value json) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  given CONSTANT text := outlast_text(field, value, 'a time');
  part CONSTANT text[] := regexp_match(given, '^([0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(\.[0-9]{1,30})?(Z|[-+]([01][0-9]|2[0-3]):[0-5][0-9])$');
  micro numeric;
BEGIN
  IF given IS NULL THEN
    RETURN NULL;
  END IF;
  micro := (extract(epoch FROM (part[1] || part[4])::timestamptz)::bigint + coalesce(part[3], '0')::numeric) * 1000000;
  IF micro IS NULL THEN
    RAISE invalid_datetime_format;
  ELSIF micro < 946684800000000 THEN
    PERFORM outlast_refuse(field, 'lies before the year 2000', 'write an RFC 3339 time with a zone');
  END IF;
  RETURN micro;
EXCEPTION WHEN invalid_datetime_format OR datetime_field_overflow OR invalid_time_zone_displacement_value THEN
  PERFORM outlast_refuse(field, outlast_quoted(given) || ' is not a time; write it as RFC 3339 with a zone, such as 2026-11-20T10:00:00.000Z', 'such as 2026-11-20T10:00:00.000Z');
END $$;

-- The lane of a key or of the first 14 bytes of an id: FNV-1a with 64 bits, finished by the
-- mixer of MurmurHash3, in two halves of 32 bits.
CREATE OR REPLACE FUNCTION outlast_lane_of(hashed bytea, lanes integer[]) RETURNS integer LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  high bigint := 3421674724;
  low bigint := 2216829733;
  factor numeric;
  whole numeric;
BEGIN
  FOR i IN 0 .. octet_length(hashed) - 1 LOOP
    low := low # get_byte(hashed, i);
    high := (high * 435 + low * 256 + ((low * 435) >> 32)) & 4294967295;
    low := (low * 435) & 4294967295;
  END LOOP;
  FOREACH factor IN ARRAY ARRAY[18397679294719823053, 14181476777654086739] LOOP
    whole := mod((high * 4294967296::numeric + (low # (high >> 1))) * factor, 18446744073709551616);
    high := div(whole, 4294967296);
    low := mod(whole, 4294967296);
  END LOOP;
  RETURN lanes[1 + mod(high * 4294967296::numeric + (low # (high >> 1)), cardinality(lanes))];
END $$;

-- A text with its length before it, as it is hashed.
CREATE OR REPLACE FUNCTION outlast_hashed(value text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT int8send(octet_length(convert_to(value, 'UTF8'))) || convert_to(value, 'UTF8')
$$;

-- Metadata or headers: texts by name.
CREATE OR REPLACE FUNCTION outlast_texts(field text, value json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  pair record;
BEGIN
  PERFORM outlast_fields(field, value, ARRAY(SELECT json_object_keys(value) WHERE json_typeof(value) = 'object'));
  FOR pair IN SELECT e.key, e.value FROM json_each(value) e LOOP
    IF json_typeof(pair.value) <> 'string' THEN
      PERFORM outlast_refuse(field || '.' || pair.key, 'a text is wanted, not ' || outlast_shown(pair.value), 'write it in quotes');
    END IF;
    PERFORM outlast_plain(field, pair.key), outlast_plain(field || '.' || pair.key, outlast_text(field || '.' || pair.key, pair.value));
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION outlast_metadata(value json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  pairs CONSTANT integer := count(*) FROM json_object_keys(value);
  size CONSTANT bigint := sum(octet_length(convert_to(e.key || e.value, 'UTF8'))) FROM json_each_text(value) e;
  misnamed CONSTANT integer := max(length) FROM (SELECT octet_length(convert_to(key, 'UTF8')) AS length FROM json_object_keys(value) key) k WHERE length NOT BETWEEN 1 AND 128;
BEGIN
  IF pairs > 64 THEN
    PERFORM outlast_refuse('metadata', 'has ' || pairs || ' pairs; the limit is 64', 'put data into the payload');
  ELSIF misnamed IS NOT NULL THEN
    PERFORM outlast_refuse('metadata', 'a name has ' || misnamed || ' bytes', 'names have 1 to 128');
  ELSIF size > 16384 THEN
    PERFORM outlast_refuse('metadata', 'has ' || size || ' bytes; the limit is 16384', 'put data into the payload');
  END IF;
END $$;

-- The request of a task as it is stored. What is finer is judged when it is sent.
CREATE OR REPLACE FUNCTION outlast_request(target json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  url text;
  member text;
  path text;
  method text;
BEGIN
  PERFORM outlast_fields('target', target, '{url,group,path,method,headers,success}');
  url := outlast_text('target.url', target -> 'url');
  member := nullif(outlast_text('target.group', target -> 'group'), '');
  path := coalesce(outlast_text('target.path', target -> 'path'), '');
  method := outlast_text('target.method', target -> 'method');
  IF member IS NOT NULL AND coalesce(url, '') = '' THEN
    PERFORM outlast_name('target.group', member);
    IF path !~ '^(/[!-~]*)?$' OR path ~ '[\\#]' THEN
      PERFORM outlast_refuse('target.path', outlast_quoted(path) || ' is not a path', 'write it like /send');
    END IF;
    url := 'group:' || member || path;
  ELSIF coalesce(url, '') = '' OR concat(member, path) <> '' THEN
    PERFORM outlast_refuse('target.url', 'is required, or a group with a path in its place', 'write it like https://example.com/path');
  ELSIF length(url) > 2048 THEN
    PERFORM outlast_refuse('target.url', 'the URL has ' || length(url) || ' bytes', 'at most 2048 are possible; put data into the payload');
  ELSIF url !~ '^https?://[A-Za-z0-9._-]+(:[1-9][0-9]{0,4})?([/?][!-~]*)?$' OR url ~ '[\\#]' THEN
    PERFORM outlast_refuse('target.url', 'is not a URL that can be enqueued by SQL', 'write it like https://example.com/path; other forms are taken by POST /v1/tasks');
  END IF;
  IF method NOT IN ('', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS') THEN
    PERFORM outlast_refuse('target.method', 'the method ' || outlast_quoted(method) || ' is not supported', 'use POST, PUT, PATCH, DELETE, GET, HEAD or OPTIONS');
  END IF;
  IF json_typeof(target -> 'headers') <> 'null' THEN
    PERFORM outlast_texts('target.headers', target -> 'headers');
  END IF;
  RETURN json_strip_nulls(json_build_object('url', url, 'method', nullif(method, ''), 'headers', target -> 'headers',
    'success', nullif(outlast_text('target.success', target -> 'success'), '')));
END $$;

CREATE OR REPLACE FUNCTION outlast_hashed_request(request json) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN request IS NULL THEN '' ELSE outlast_hashed(request ->> 'url') || outlast_hashed(coalesce(request ->> 'method', ''))
    || coalesce((SELECT string_agg(outlast_hashed(h.key) || outlast_hashed(h.value), '' ORDER BY h.key COLLATE "C") FROM json_each_text(request -> 'headers') h), '')
    || coalesce(outlast_hashed('success:' || (request ->> 'success')), '') END
$$;

-- How many tasks of a queue are pending, counted a little beyond a limit.
CREATE OR REPLACE FUNCTION outlast_pending(of text, most bigint) RETURNS bigint LANGUAGE sql AS $$
  WITH running AS MATERIALIZED (SELECT count(*) AS n FROM outlast_running r WHERE r.lane = ANY(ARRAY(SELECT l.lane FROM outlast_lane l WHERE l.queue = of)))
  SELECT greatest(0, (SELECT count(*) FROM (SELECT FROM outlast_lane l CROSS JOIN LATERAL
    (SELECT FROM outlast_task t WHERE t.lane = l.lane ORDER BY t.park, t.rank LIMIT most + 1 + (SELECT n FROM running)) t
    WHERE l.queue = of LIMIT most + 1 + (SELECT n FROM running)) live) - (SELECT n FROM running))
$$;

-- What limits watch: the host with a port that is not the scheme's own, or the type.
CREATE OR REPLACE FUNCTION outlast_target(kind text, url text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN url IS NULL THEN kind WHEN named = kind THEN scheme || ':' || kind ELSE named END
  FROM (SELECT part[1] AS scheme, CASE part[1] WHEN 'group' THEN 'group:' || part[2]
    ELSE lower(part[2] COLLATE "C") || CASE part[1] || part[3] WHEN 'http:80' THEN '' WHEN 'https:443' THEN '' ELSE coalesce(part[3], '') END END AS named
  FROM (SELECT regexp_match(url, '^([a-z]+):(?://)?([^/?:]+)(:[0-9]+)?') AS part) p) n
$$;

-- Takes a dedupe key for a task, and says whose it is then.
CREATE OR REPLACE FUNCTION outlast_take_key(of_lane integer, of_queue text, of_key text, taker uuid, hash bytea, started bigint, until bigint, snapshot boolean) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  holder uuid;
  held bytea;
BEGIN
  LOOP
    INSERT INTO outlast_dedupe (lane, queue, key, id, content, expires) VALUES (of_lane, of_queue, of_key, taker, hash, until) ON CONFLICT (lane, queue, key) DO NOTHING;
    IF FOUND THEN
      RETURN taker;
    END IF;
    SELECT d.id INTO holder FROM outlast_dedupe d WHERE d.lane = of_lane AND d.queue = of_queue AND d.key = of_key AND d.expires <= started FOR UPDATE;
    IF FOUND AND NOT EXISTS (SELECT FROM outlast_task t WHERE t.id = holder) THEN
      IF snapshot THEN
        PERFORM outlast_refuse('dedupe_key', 'whether its task lives again would not be seen in a snapshot', 'begin the transaction at READ COMMITTED', '0A000');
      END IF;
      UPDATE outlast_dedupe d SET id = taker, content = hash, expires = until WHERE d.lane = of_lane AND d.queue = of_queue AND d.key = of_key;
      RETURN taker;
    END IF;
    SELECT d.id, d.content INTO holder, held FROM outlast_dedupe d WHERE d.lane = of_lane AND d.queue = of_queue AND d.key = of_key;
    CONTINUE WHEN NOT FOUND; -- it was deleted meanwhile
    IF held <> hash THEN
      PERFORM outlast_refuse('dedupe_key', 'the dedupe key belongs to a task of other content', 'the task is ' || holder, '23505');
    END IF;
    RETURN holder;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION outlast_enqueue(task json, payload bytea DEFAULT NULL, OUT id uuid, OUT existing boolean) LANGUAGE plpgsql SECURITY DEFINER AS $$
#variable_conflict use_column
<<draft>>
DECLARE
  started CONSTANT bigint := extract(epoch FROM now()) * 1000000; -- the store's clock
  clock CONSTANT numeric := extract(epoch FROM clock_timestamp()) * 1000000;
  longest CONSTANT bigint := 315360000000000; -- ten years in µs
  snapshot CONSTANT boolean := current_setting('transaction_isolation') IN ('repeatable read', 'serializable');
  name text;
  kind text;
  to_queue text;
  body bytea := payload;
  request json;
  given_id text;
  raw bytea;
  holder uuid;
  earliest bigint;
  priority bigint;
  attempts bigint;
  key text;
  share text;
  dedupe text;
  policy text;
  trace text;
  delay bigint;
  width bigint;
  timeout bigint;
  ttl bigint;
  run_at numeric;
  deadline numeric;
  first_run numeric;
  at bigint;
  limits record;
  lanes integer[];
  lane integer;
  dedupe_lane integer;
  target text;
  spec text;
  sealing boolean;
  sealed boolean;
  content bytea;
  same boolean;
  distributed bigint := 0;
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    EXECUTE 'SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = ''outlast_task''::regclass' INTO distributed;
    IF distributed > 0 THEN
      PERFORM outlast_refuse('task', 'the tables are distributed by Citus', 'enqueue by POST /v1/tasks', '0A000');
    END IF;
  END IF;

  PERFORM outlast_fields('task', coalesce(task, 'null'), '{id,type,queue,payload,delay,run_at,priority,key,share_key,dedupe_key,dedupe_window,policy,retry,max_attempts,timeout,deadline,ttl,metadata,target,fallback,on_success,on_dead,alert,trace_parent,group}');
  FOREACH name IN ARRAY '{retry,fallback,on_success,on_dead,alert,group}'::text[] LOOP
    IF json_typeof(task -> name) <> 'null' THEN
      PERFORM outlast_refuse(name, 'cannot be enqueued by SQL', CASE name WHEN 'group' THEN 'enqueue by POST /v1/tasks' ELSE 'name a policy that has it, or enqueue by POST /v1/tasks' END);
    END IF;
  END LOOP;

  IF json_typeof(task -> 'target') <> 'null' THEN
    request := outlast_request(task -> 'target');
  END IF;
  kind := coalesce(nullif(outlast_text('type', task -> 'type'), ''), CASE WHEN request IS NOT NULL THEN 'http' END);
  IF kind IS NULL THEN
    PERFORM outlast_refuse('type', 'is required', 'name the handler, or give a target.url for an HTTP request');
  END IF;
  PERFORM outlast_name('type', kind);
  sealing := EXISTS (SELECT FROM outlast_object o WHERE o.kind = 'encryption.key');
  to_queue := coalesce(nullif(outlast_text('queue', task -> 'queue'), ''),
    (SELECT nullif(convert_from(o.body, 'UTF8')::json ->> 'queue', '') FROM outlast_object o WHERE o.kind = 'type' AND o.name = draft.kind AND NOT sealing), 'default');
  PERFORM outlast_name('queue', to_queue);

  IF body IS NULL THEN
    body := coalesce(convert_to((task -> 'payload')::text, 'UTF8'), '');
  ELSIF task -> 'payload' IS NOT NULL THEN
    PERFORM outlast_refuse('payload', 'is given twice', 'give it in the task or as the second argument');
  END IF;
  sealed := substring(body FOR 7) = '\x007365616c6564';
  IF sealing AND NOT sealed THEN
    PERFORM outlast_refuse('payload', 'is not encrypted, and the tasks of this store are', 'seal it where the keys are, or enqueue by POST /v1/tasks');
  ELSIF sealed AND NOT sealing THEN
    PERFORM outlast_refuse('payload', 'it is encrypted already, for another task', 'hand in what it was before, read where the keys are');
  ELSIF octet_length(body) > 1048576 + 128 * sealing::integer THEN
    PERFORM outlast_refuse('payload', 'the payload has ' || octet_length(body) || ' bytes; the limit is 1048576', 'keep large data elsewhere and send a reference', '54000');
  ELSIF sealing AND request ->> 'headers' <> '{}' THEN
    PERFORM outlast_refuse('target.headers', 'are not encrypted, and the tasks of this store are', 'enqueue by POST /v1/tasks');
  END IF;

  priority := coalesce(outlast_whole('priority', task -> 'priority', 9, 0, '0 is the lowest, 5 the default'), 5);
  attempts := outlast_whole('max_attempts', task -> 'max_attempts', 1000000, 1, 'the first attempt counts; 1 turns retries off');
  key := outlast_key('key', task -> 'key', 'leave it out for no order');
  share := outlast_key('share_key', task -> 'share_key', 'leave it out for none');
  dedupe := outlast_key('dedupe_key', task -> 'dedupe_key', 'leave it out for no deduplication');
  width := outlast_duration('dedupe_window', task -> 'dedupe_window');
  IF width = 0 THEN
    PERFORM outlast_refuse('dedupe_window', 'must be more than 0', 'leave it out for 24h');
  ELSIF width IS NOT NULL AND dedupe IS NULL THEN
    PERFORM outlast_refuse('dedupe_window', 'needs a dedupe_key', 'give both or none');
  ELSIF width NOT BETWEEN 0 AND 31536000000000000 THEN
    PERFORM outlast_refuse('dedupe_window', (task ->> 'dedupe_window') || ' is outside 0s to 8760h', 'leave it out for 24h');
  ELSIF dedupe IS NOT NULL AND sealing THEN
    PERFORM outlast_refuse('dedupe_key', 'needs the keys, since the tasks of this store are encrypted', 'give the task an id, or enqueue by POST /v1/tasks');
  END IF;
  policy := nullif(outlast_text('policy', task -> 'policy'), '');
  IF length(policy) > 128 OR policy !~ '^[ -~]+$' THEN
    PERFORM outlast_refuse('policy', outlast_quoted(policy) || ' is not a policy', 'name an existing policy or a preset such as payment, or write an inline policy');
  END IF;
  trace := nullif(outlast_text('trace_parent', task -> 'trace_parent'), '');
  IF trace !~ '^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-[ -~]*)?$' OR trace ~ '^00.{54}' OR length(trace) > 512 THEN
    PERFORM outlast_refuse('trace_parent', 'is not a W3C traceparent', 'such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
  END IF;
  timeout := outlast_duration('timeout', task -> 'timeout');
  IF timeout = 0 THEN
    PERFORM outlast_refuse('timeout', 'must be more than 0', 'leave it out for the policy''s own');
  ELSIF timeout NOT BETWEEN 1000000 AND 86400000000000 THEN
    PERFORM outlast_refuse('timeout', (task ->> 'timeout') || ' is outside 1ms to 24h', 'leave it out for the policy''s own');
  END IF;
  IF json_typeof(task -> 'metadata') <> 'null' THEN
    PERFORM outlast_texts('metadata', task -> 'metadata');
    PERFORM outlast_metadata(task -> 'metadata');
  END IF;

  delay := coalesce(outlast_duration('delay', task -> 'delay'), 0);
  run_at := outlast_moment('run_at', task -> 'run_at');
  deadline := outlast_moment('deadline', task -> 'deadline');
  ttl := outlast_duration('ttl', task -> 'ttl');
  IF delay <> 0 AND run_at IS NOT NULL THEN
    PERFORM outlast_refuse('run_at', 'is given together with delay', 'give one of them');
  ELSIF delay NOT BETWEEN 0 AND longest * 1000 THEN
    PERFORM outlast_refuse('delay', (task ->> 'delay') || ' is outside 0s to 87600h', 'leave it out to run now');
  ELSIF run_at > clock + longest THEN
    PERFORM outlast_refuse('run_at', 'lies more than ten years ahead', 'enqueue it later, from a task that runs before');
  END IF;
  first_run := greatest(clock + delay / 1000, run_at);
  IF ttl = 0 THEN
    PERFORM outlast_refuse('ttl', 'must be more than 0', 'leave it out for no limit');
  ELSIF ttl IS NOT NULL AND deadline IS NOT NULL THEN
    PERFORM outlast_refuse('ttl', 'is given together with deadline', 'give one of them');
  ELSIF ttl NOT BETWEEN 0 AND 2 * longest * 1000 THEN
    PERFORM outlast_refuse('ttl', (task ->> 'ttl') || ' is outside 0s to 175200h', 'leave it out for no limit');
  ELSIF clock + ttl / 1000 <= first_run THEN
    PERFORM outlast_refuse('ttl', 'ends before the first run', 'it counts from acceptance');
  ELSIF deadline <= clock THEN
    PERFORM outlast_refuse('deadline', 'has passed', 'leave it out for no limit');
  ELSIF deadline <= first_run THEN
    PERFORM outlast_refuse('deadline', 'is not after the first run', 'leave it out for no limit');
  ELSIF deadline > clock + 2 * longest THEN
    PERFORM outlast_refuse('deadline', 'lies more than ten years ahead', 'enqueue it later, from a task that runs before');
  END IF;
  deadline := ceil(coalesce(deadline, clock + ttl / 1000.0));
  at := CASE WHEN run_at > clock THEN ceil(run_at) ELSE started + delay / 1000 END;

  SELECT q.key_lanes, q.max_pending INTO limits FROM outlast_queue q WHERE q.name = to_queue;
  lanes := ARRAY(SELECT l.lane FROM outlast_lane l WHERE l.queue = to_queue ORDER BY l.lane);
  IF to_queue = 'outlast.alerts' THEN
    PERFORM outlast_refuse('queue', 'the queue outlast.alerts is that of the engine''s own alerts', 'name another queue');
  ELSIF limits IS NULL OR lanes = '{}' THEN
    PERFORM outlast_refuse('queue', 'there is no queue "' || to_queue || '"', 'create it first: outlast queue create NAME, PUT /v1/queues/{name} or Inspector().Queues.Put');
  END IF;

  given_id := outlast_text('id', task -> 'id');
  IF given_id !~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$' THEN
    PERFORM outlast_refuse('id', outlast_quoted(given_id) || ' is not a task id', 'an id is a UUID of version 7, such as 019a9f2e-5c00-7abc-8def-0123456789ab');
  ELSIF given_id IS NOT NULL AND snapshot THEN
    PERFORM outlast_refuse('id', 'a task that has ended meanwhile would not be seen in a snapshot', 'begin the transaction at READ COMMITTED, or leave the id out', '0A000');
  ELSIF given_id IS NOT NULL THEN
    raw := uuid_send(given_id::uuid);
  ELSE
    raw := overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send((clock / 1000)::bigint) FROM 3) FROM 1 FOR 6);
    raw := set_byte(raw, 6, get_byte(raw, 6) & 15 | 112);
  END IF;
  dedupe_lane := outlast_lane_of(convert_to(dedupe, 'UTF8'), lanes[:limits.key_lanes]);
  lane := coalesce(outlast_lane_of(convert_to(key, 'UTF8'), lanes[:limits.key_lanes]), dedupe_lane, outlast_lane_of(substring(raw FOR 14), lanes));
  raw := overlay(raw PLACING substring(int4send(lane) FROM 3) FROM 15);
  id := encode(raw, 'hex')::uuid;
  existing := false;

  target := outlast_target(kind, request ->> 'url');
  spec := nullif(json_strip_nulls(json_build_object('max_attempts', attempts, 'timeout', timeout, 'metadata', task -> 'metadata', 'http', request,
    'deadline', to_char(to_timestamp(0) AT TIME ZONE 'UTC' + deadline * interval '1 microsecond', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'dedupe_key', dedupe, 'dedupe_window', CASE WHEN dedupe IS NOT NULL THEN coalesce(width, 86400000000000) END, 'share_key', share, 'trace_parent', trace))::text, '{}');
  INSERT INTO outlast_task (id, lane, priority, rank, run_at, seq, created_at, updated_at, queue, type, target, policy, key, spec, payload, share_key, arrived)
  VALUES (id, lane, priority, at - priority * 30000000, at, CASE WHEN key IS NULL THEN 0 ELSE nextval('outlast_seq') END, started, started,
    to_queue, kind, target, policy, key, spec, body, share, pg_current_xact_id())
  ON CONFLICT (id, lane) DO NOTHING;
  existing := NOT FOUND;

  IF given_id IS NOT NULL THEN
    earliest := (('x' || encode(substring(raw FOR 6), 'hex'))::bit(48)::bigint * 1000) - 86400000000; -- clocks differ; of who is far ahead all ends are looked through
    SELECT t.queue = to_queue AND t.type = draft.kind AND t.key IS NOT DISTINCT FROM draft.key AND t.payload = body
      AND (t.target = draft.target OR coalesce(t.spec::json #>> '{http,url}' = request ->> 'url', false) OR t.target LIKE '@%' AND request IS NULL AND t.spec::json -> 'http' IS NULL)
    INTO same FROM (
      SELECT k.queue, k.type, k.key, k.payload, k.target, k.spec FROM outlast_task k WHERE k.id = outlast_enqueue.id AND k.lane = draft.lane AND existing
      UNION ALL SELECT k.queue, k.type, k.key, k.payload, k.target, k.spec FROM outlast_done k WHERE k.id = outlast_enqueue.id AND k.finished_at >= CASE WHEN earliest > started - 43200000000 THEN 0 ELSE earliest END
      UNION ALL SELECT k.queue, k.type, k.key, k.payload, k.target, k.spec FROM outlast_dead k WHERE k.id = outlast_enqueue.id AND k.lane = draft.lane) t;
    IF same THEN
      DELETE FROM outlast_task t WHERE t.id = outlast_enqueue.id AND t.lane = draft.lane AND NOT existing;
      existing := true;
      RETURN;
    ELSIF NOT same THEN
      PERFORM outlast_refuse('id', 'the id belongs to a task of other content', 'make another one, or leave it out', '23505');
    ELSIF existing THEN
      PERFORM outlast_refuse('id', 'the task was deleted meanwhile', 'try again', '40001');
    END IF;
  END IF;

  IF dedupe IS NOT NULL THEN
    content := substring(sha256(outlast_hashed(kind) || int8send(octet_length(body)) || body || outlast_hashed_request(request) || outlast_hashed('key:' || coalesce(key, ''))
      || int8send(delay) || coalesce(int8send(floor(run_at)::bigint), '')) FOR 16);
    holder := outlast_take_key(dedupe_lane, to_queue, dedupe, id, content, started, started + coalesce(width, 86400000000000) / 1000, snapshot);
    IF holder <> id THEN
      DELETE FROM outlast_task t WHERE t.id = outlast_enqueue.id AND t.lane = draft.lane;
      id := holder;
      existing := true;
      RETURN;
    END IF;
  END IF;

  IF limits.max_pending > 0 AND outlast_pending(to_queue, limits.max_pending) > limits.max_pending THEN
    PERFORM outlast_refuse('queue', 'the queue "' || to_queue || '" has its limit of ' || limits.max_pending || ' pending tasks', 'try again later, or raise max_pending', '53400');
  END IF;
END $$;

COMMENT ON FUNCTION outlast_enqueue(json, bytea) IS 'version 1: arguments and fields are only added';

-- They run as who owns the tables, and find nothing of their callers'. Nobody else may call
-- them until the right to is granted.
DO $$
DECLARE
  made regprocedure;
BEGIN
  FOR made IN SELECT p.oid FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = current_schema() AND p.proname IN ('outlast_refuse', 'outlast_shown', 'outlast_quoted', 'outlast_fields', 'outlast_text',
    'outlast_plain', 'outlast_name', 'outlast_key', 'outlast_whole', 'outlast_duration', 'outlast_moment', 'outlast_lane_of', 'outlast_hashed', 'outlast_hashed_request', 'outlast_texts',
    'outlast_metadata', 'outlast_request', 'outlast_target', 'outlast_pending', 'outlast_take_key', 'outlast_enqueue')
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', made);
  END LOOP;
  EXECUTE format('ALTER FUNCTION outlast_enqueue(json, bytea) SET search_path = %I, pg_temp', current_schema());
  ALTER FUNCTION outlast_enqueue(json, bytea) SET lock_timeout = '1s';
  ALTER FUNCTION outlast_enqueue(json, bytea) SET standard_conforming_strings = on; -- it has backslashes
  ALTER FUNCTION outlast_enqueue(json, bytea) SET enable_seqscan = off;
END $$;

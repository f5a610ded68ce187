-- outlast_enqueue inserts a task in the transaction of its caller: docs/how-to/enqueue-from-sql.md.
-- It refuses with the messages of POST /v1/tasks. All procedures before it are its parts. They
-- are left out where the right to make them is missing: all else works without.

CREATE PROCEDURE outlast_refuse(field TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, message TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, hint TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, code VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)
BEGIN -- $$
  -- MySQL takes 128 characters.
  DECLARE v_text TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT LEFT(CONCAT(field, ': ', message, ' (', hint, ')'), IF(VERSION() LIKE '%MariaDB%', 511, 128));
  IF code = '23000' THEN
    SIGNAL SQLSTATE '23000' SET MESSAGE_TEXT = v_text, MYSQL_ERRNO = 1062;
  ELSEIF code = '53400' THEN
    SIGNAL SQLSTATE '53400' SET MESSAGE_TEXT = v_text;
  ELSEIF code = '0A000' THEN
    SIGNAL SQLSTATE '0A000' SET MESSAGE_TEXT = v_text;
  END IF;
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = v_text;
END -- $$
;

CREATE PROCEDURE outlast_wanted(field TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, wanted TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, given LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, hint TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)
BEGIN -- $$
  CALL outlast_refuse(field, CONCAT(wanted, ' is wanted, not ', CASE JSON_TYPE(given) WHEN 'OBJECT' THEN 'an object' WHEN 'ARRAY' THEN 'a list' ELSE LEFT(given, 60) END), hint, '45000');
END -- $$
;

-- Refuses all but an object with some of the known keys.
CREATE PROCEDURE outlast_fields(path TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, given LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, known TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)
BEGIN -- $$
  DECLARE v_keys LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_name TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_at INT DEFAULT 0;
  IF NOT COALESCE(JSON_VALID(given), FALSE) THEN
    CALL outlast_refuse(path, 'an object is wanted, not what is no JSON', 'such as {"type": "email"}', '45000');
  ELSEIF JSON_TYPE(given) <> 'OBJECT' THEN
    CALL outlast_wanted(path, 'an object', given, 'such as {"type": "email"}');
  END IF;
  SET v_keys = JSON_KEYS(given);
  WHILE v_at < JSON_LENGTH(v_keys) DO
    SET v_name = JSON_UNQUOTE(JSON_EXTRACT(v_keys, CONCAT('$[', v_at, ']')));
    IF NOT FIND_IN_SET(v_name, known) THEN
      CALL outlast_refuse(CONCAT(IF(path = 'task', '', CONCAT(path, '.')), v_name), 'unknown key', CONCAT('known keys are ', REPLACE(known, ',', ', ')), '45000');
    END IF;
    SET v_at = v_at + 1;
  END WHILE;
END -- $$
;

-- A text, null if it was left out.
CREATE PROCEDURE outlast_text(field TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, given LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, wanted TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, OUT value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)
BEGIN -- $$
  IF JSON_TYPE(given) NOT IN ('STRING', 'NULL') THEN
    CALL outlast_wanted(field, wanted, given, 'write it in quotes');
  END IF;
  SET value = IF(JSON_TYPE(given) = 'STRING', JSON_UNQUOTE(given), NULL);
END -- $$
;

CREATE PROCEDURE outlast_plain(field TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)
BEGIN -- $$
  IF value REGEXP CONCAT('[[:cntrl:]', _utf8mb4 X'C280', '-', _utf8mb4 X'C29F', ']') THEN
    CALL outlast_refuse(field, 'contains a control character', 'leave it out; of bytes send a hash or their hexadecimal form', '45000');
  END IF;
END -- $$
;

CREATE PROCEDURE outlast_name(field TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)
BEGIN -- $$
  DECLARE v_hint TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT 'names have 1 to 128 of the characters A-Z a-z 0-9 . _ : -';
  IF OCTET_LENGTH(value) > 128 THEN
    CALL outlast_refuse(field, CONCAT('has ', OCTET_LENGTH(value), ' characters; the limit is 128'), v_hint, '45000');
  ELSEIF value NOT REGEXP '^[A-Za-z0-9._:-]+$' OR value REGEXP '[[:cntrl:]]' THEN
    CALL outlast_refuse(field, CONCAT(JSON_QUOTE(value), ' has a character that is not possible'), v_hint, '45000');
  END IF;
END -- $$
;

CREATE PROCEDURE outlast_key(field TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, given LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, hint TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, OUT value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)
BEGIN -- $$
  CALL outlast_text(field, given, 'a text', value);
  IF LENGTH(value) = 0 THEN
    CALL outlast_refuse(field, 'is empty', hint, '45000');
  ELSEIF OCTET_LENGTH(value) > 512 THEN
    CALL outlast_refuse(field, CONCAT('has ', OCTET_LENGTH(value), ' bytes; the limit is 512'), 'send a hash of what is longer', '45000');
  END IF;
  CALL outlast_plain(field, value);
END -- $$
;

CREATE PROCEDURE outlast_whole(field TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, given LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, lowest BIGINT, highest BIGINT, hint TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, OUT value BIGINT)
BEGIN -- $$
  IF JSON_TYPE(given) = 'NULL' THEN
    SET given = NULL;
  ELSEIF given NOT REGEXP '^-?[0-9]{1,18}$' THEN
    CALL outlast_wanted(field, 'a whole number', given, hint);
  ELSEIF CAST(given AS SIGNED) NOT BETWEEN lowest AND highest THEN
    CALL outlast_refuse(field, CONCAT(given, ' is outside ', lowest, ' to ', highest), hint, '45000');
  END IF;
  SET value = CAST(given AS SIGNED);
END -- $$
;

-- A duration as Go writes it, in ns.
CREATE PROCEDURE outlast_duration(field TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, given LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, OUT ns BIGINT)
BEGIN -- $$
  DECLARE v_text LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_left LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_part TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_number TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_sum DECIMAL(65, 9) DEFAULT 0;
  CALL outlast_text(field, given, 'a duration', v_text);
  SET v_left = REPLACE(REPLACE(v_text, _utf8mb4 X'C2B5', 'u'), _utf8mb4 X'CEBC', 'u');
  IF LENGTH(v_text) > 60 OR v_left NOT REGEXP '^[-+]?(0|(([0-9]{1,20}([.][0-9]{0,20})?|[.][0-9]{1,20})(ns|us|ms|s|m|h))+)$' THEN
    SET v_sum = 9223372036854775808;
  END IF;
  WHILE v_sum < 9223372036854775808 AND v_left REGEXP '[a-z]' DO
    SET v_part = REGEXP_SUBSTR(v_left, '[0-9.]+[a-z]+');
    SET v_number = REGEXP_SUBSTR(v_part, '[0-9.]+');
    SET v_sum = v_sum + FLOOR(CAST(v_number AS DECIMAL(45, 20)) * CASE SUBSTR(v_part, CHAR_LENGTH(v_number) + 1)
      WHEN 'h' THEN 3600000000000 WHEN 'm' THEN 60000000000 WHEN 's' THEN 1000000000 WHEN 'ms' THEN 1000000 WHEN 'us' THEN 1000 ELSE 1 END);
    SET v_left = SUBSTR(v_left, LOCATE(v_part, v_left) + CHAR_LENGTH(v_part));
  END WHILE;
  IF v_sum >= 9223372036854775807 THEN
    CALL outlast_refuse(field, CONCAT(JSON_QUOTE(LEFT(v_text, 80)), ' is not a duration; write a number and a unit, such as 1.5s, 200ms or 2h45m'), 'such as 1.5s, 200ms or 2h45m', '45000');
  END IF;
  SET ns = IF(v_text IS NULL, NULL, IF(v_text LIKE '-%', -v_sum, v_sum));
END -- $$
;

-- A time of RFC 3339 in µs since 1970, and whether it lies a little later.
CREATE PROCEDURE outlast_moment(field TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, given LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, OUT micro BIGINT, OUT later BIGINT)
BEGIN -- $$
  DECLARE v_text LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_zone TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_finer TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  CALL outlast_text(field, given, 'a time', v_text);
  IF LENGTH(v_text) > 60 OR v_text NOT REGEXP '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]+)?(Z|[-+]([01][0-9]|2[0-3]):[0-5][0-9])$'
    OR SUBSTR(v_text, 9, 2) > DAYOFMONTH(LAST_DAY(CONCAT(SUBSTR(v_text, 1, 7), '-01'))) THEN
    CALL outlast_refuse(field, CONCAT(JSON_QUOTE(LEFT(v_text, 80)), ' is not a time; write it as RFC 3339 with a zone, such as 2026-11-20T10:00:00.000Z'), 'such as 2026-11-20T10:00:00.000Z', '45000');
  END IF;
  SET v_zone = IF(v_text LIKE '%Z', '+00:00', RIGHT(v_text, 6));
  SET v_finer = IF(SUBSTR(v_text, 20, 1) = '.', REGEXP_SUBSTR(SUBSTR(v_text, 21), '[0-9]+'), '');
  SET micro = (TIMESTAMPDIFF(SECOND, '1970-01-01', CONCAT(SUBSTR(v_text, 1, 10), ' ', SUBSTR(v_text, 12, 8)))
    - IF(v_zone LIKE '-%', -60, 60) * (60 * SUBSTR(v_zone, 2, 2) + SUBSTR(v_zone, 5, 2))) * 1000000 + RPAD(LEFT(v_finer, 6), 6, '0');
  SET later = SUBSTR(v_finer, 7) REGEXP '[1-9]';
  IF micro < 946684800000000 THEN
    CALL outlast_refuse(field, 'lies before the year 2000', 'write an RFC 3339 time with a zone', '45000');
  END IF;
END -- $$
;

-- The lane of a key or of the first 14 bytes of an id among the first of a queue: FNV-1a with 64
-- bits, finished by the mixer of MurmurHash3, in two halves of 32 bits.
CREATE PROCEDURE outlast_lane_of(hashed VARBINARY(512), of_queue VARBINARY(512), among BIGINT, OUT number BIGINT)
BEGIN -- $$
  DECLARE v_high BIGINT UNSIGNED DEFAULT 3421674724;
  DECLARE v_low BIGINT UNSIGNED DEFAULT 2216829733;
  DECLARE v_whole DECIMAL(65, 0);
  DECLARE v_at BIGINT DEFAULT 1;
  WHILE v_at <= LENGTH(hashed) DO
    SET v_low = v_low ^ ORD(SUBSTR(hashed, v_at, 1));
    SET v_high = (v_high * 435 + v_low * 256 + ((v_low * 435) >> 32)) & 4294967295;
    SET v_low = (v_low * 435) & 4294967295;
    SET v_at = v_at + 1;
  END WHILE;
  SET v_at = 0;
  WHILE v_at < 2 DO
    SET v_whole = MOD((CAST(v_high AS DECIMAL(20)) * 4294967296 + (v_low ^ (v_high >> 1))) * IF(v_at = 0, 18397679294719823053, 14181476777654086739), 18446744073709551616);
    SET v_high = (v_whole - MOD(v_whole, 4294967296)) / 4294967296;
    SET v_low = MOD(v_whole, 4294967296);
    SET v_at = v_at + 1;
  END WHILE;
  SET v_at = MOD(CAST(v_high AS DECIMAL(20)) * 4294967296 + (v_low ^ (v_high >> 1)), among);
  SELECT l.lane INTO number FROM outlast_lane l WHERE l.queue = of_queue ORDER BY l.lane LIMIT v_at, 1;
END -- $$
;

-- Metadata or headers: texts by name.
CREATE PROCEDURE outlast_texts(field TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, given LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)
BEGIN -- $$
  DECLARE v_keys LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_name TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_size, v_at BIGINT DEFAULT 0;
  DECLARE v_misnamed BIGINT DEFAULT -1;
  IF JSON_TYPE(given) <> 'OBJECT' THEN
    CALL outlast_wanted(field, 'an object', given, 'names with texts');
  END IF;
  SET v_keys = JSON_KEYS(given);
  WHILE v_at < JSON_LENGTH(v_keys) DO
    SET v_name = JSON_UNQUOTE(JSON_EXTRACT(v_keys, CONCAT('$[', v_at, ']')));
    SET v_value = JSON_EXTRACT(given, CONCAT('$.', JSON_QUOTE(v_name)));
    IF JSON_TYPE(v_value) <> 'STRING' THEN
      CALL outlast_wanted(CONCAT(field, '.', v_name), 'a text', v_value, 'write it in quotes');
    END IF;
    SET v_value = JSON_UNQUOTE(v_value);
    SET v_size = v_size + OCTET_LENGTH(v_name) + OCTET_LENGTH(v_value);
    SET v_misnamed = IF(OCTET_LENGTH(v_name) BETWEEN 1 AND 128, v_misnamed, OCTET_LENGTH(v_name));
    CALL outlast_plain(field, v_name);
    CALL outlast_plain(CONCAT(field, '.', v_name), v_value);
    SET v_at = v_at + 1;
  END WHILE;
  IF v_at > 64 THEN
    CALL outlast_refuse(field, CONCAT('has ', v_at, ' pairs; the limit is 64'), 'put data into the payload', '45000');
  ELSEIF v_misnamed >= 0 THEN
    CALL outlast_refuse(field, CONCAT('a name has ', v_misnamed, ' bytes'), 'names have 1 to 128', '45000');
  ELSEIF v_size > 16384 THEN
    CALL outlast_refuse(field, CONCAT('has ', v_size, ' bytes; the limit is 16384'), 'put data into the payload', '45000');
  END IF;
END -- $$
;

-- A request as it is stored, and as it is hashed. What is finer is judged when it is sent.
CREATE PROCEDURE outlast_request(given LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, OUT url LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, OUT kept LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, OUT hashed LONGBLOB)
BEGIN -- $$
  DECLARE v_member, v_path, v_method, v_success, v_headers LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_name, v_last VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  CALL outlast_fields('target', given, 'url,group,path,method,headers,success');
  CALL outlast_text('target.url', JSON_EXTRACT(given, '$.url'), 'a text', url);
  CALL outlast_text('target.group', JSON_EXTRACT(given, '$.group'), 'a text', v_member);
  CALL outlast_text('target.path', JSON_EXTRACT(given, '$.path'), 'a text', v_path);
  CALL outlast_text('target.method', JSON_EXTRACT(given, '$.method'), 'a text', v_method);
  CALL outlast_text('target.success', JSON_EXTRACT(given, '$.success'), 'a text', v_success);
  SET v_path = COALESCE(v_path, ''), v_member = COALESCE(v_member, ''), v_method = COALESCE(v_method, ''), url = COALESCE(url, ''), v_success = IF(LENGTH(v_success) > 0, v_success, NULL);
  IF LENGTH(v_member) > 0 AND LENGTH(url) = 0 THEN
    CALL outlast_name('target.group', v_member);
    IF v_path NOT REGEXP '^(/[!-~]*)?$' OR LOCATE('#', v_path) OR LOCATE(CHAR(92), v_path) THEN
      CALL outlast_refuse('target.path', CONCAT(JSON_QUOTE(LEFT(v_path, 80)), ' is not a path'), 'write it like /send', '45000');
    END IF;
    SET url = CONCAT('group:', v_member, v_path);
  ELSEIF LENGTH(url) = 0 OR LENGTH(CONCAT(v_member, v_path)) > 0 THEN
    CALL outlast_refuse('target.url', 'is required, or a group with a path in its place', 'write it like https://example.com/path', '45000');
  ELSEIF LENGTH(url) > 2048 THEN
    CALL outlast_refuse('target.url', CONCAT('the URL has ', LENGTH(url), ' bytes'), 'at most 2048 are possible; put data into the payload', '45000');
  ELSEIF url NOT REGEXP '^https?://[A-Za-z0-9._-]+(:[1-9][0-9]{0,4})?([/?][!-~]*)?$' OR LOCATE('#', url) OR LOCATE(CHAR(92), url) THEN
    CALL outlast_refuse('target.url', 'is not a URL that can be enqueued by SQL', 'write it like https://example.com/path; other forms are taken by POST /v1/tasks', '45000');
  END IF;
  IF CAST(v_method AS BINARY) NOT IN ('', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS') THEN
    CALL outlast_refuse('target.method', CONCAT('the method ', JSON_QUOTE(LEFT(v_method, 80)), ' is not supported'), 'use POST, PUT, PATCH, DELETE, GET, HEAD or OPTIONS', '45000');
  END IF;
  SET v_headers = IF(JSON_TYPE(JSON_EXTRACT(given, '$.headers')) = 'NULL', NULL, JSON_EXTRACT(given, '$.headers'));
  IF v_headers IS NOT NULL THEN
    CALL outlast_texts('target.headers', v_headers);
  END IF;
  SET kept = CONCAT('{', CONCAT_WS(',', CONCAT('"url":', JSON_QUOTE(url)), CONCAT('"method":', JSON_QUOTE(NULLIF(v_method, ''))), CONCAT('"headers":', v_headers),
    CONCAT('"success":', JSON_QUOTE(v_success))), '}');
  SET hashed = CONCAT(UNHEX(LPAD(HEX(LENGTH(url)), 16, '0')), CAST(url AS BINARY), UNHEX(LPAD(HEX(LENGTH(v_method)), 16, '0')), CAST(v_method AS BINARY));
  SET v_last = '', v_name = '';
  WHILE v_name IS NOT NULL DO
    SELECT MIN(k.name) INTO v_name FROM JSON_TABLE(COALESCE(JSON_KEYS(v_headers), '[]'), '$[*]' COLUMNS (name VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) k WHERE k.name > v_last;
    IF v_name IS NOT NULL THEN
      SET v_value = JSON_UNQUOTE(JSON_EXTRACT(v_headers, CONCAT('$.', JSON_QUOTE(v_name)))), v_last = v_name;
      SET hashed = CONCAT(hashed, UNHEX(LPAD(HEX(LENGTH(v_name)), 16, '0')), CAST(v_name AS BINARY), UNHEX(LPAD(HEX(LENGTH(v_value)), 16, '0')), CAST(v_value AS BINARY));
    END IF;
  END WHILE;
  IF v_success IS NOT NULL THEN
    SET hashed = CONCAT(hashed, UNHEX(LPAD(HEX(8 + LENGTH(v_success)), 16, '0')), 'success:', CAST(v_success AS BINARY));
  END IF;
END -- $$
;

-- Rows of others are read by SELECT INTO, which locks nothing below SERIALIZABLE. InnoDB locks
-- what SET reads, and nodes would wait for it until the caller commits.
CREATE PROCEDURE outlast_insert(task LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, payload LONGBLOB, OUT id BINARY(16), OUT existing BOOLEAN)
BEGIN -- $$
  DECLARE v_now BIGINT DEFAULT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6));
  DECLARE v_longest BIGINT DEFAULT 315360000000000; -- ten years in µs
  DECLARE v_kind, v_key, v_share, v_dedupe, v_policy, v_trace, v_text, v_url, v_request, v_target, v_spec, v_scheme, v_host, v_port LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_queue VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
  DECLARE v_random VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT SHA2(CONCAT(UUID(), RAND()), 256);
  DECLARE v_hashed LONGBLOB;
  DECLARE v_content, v_held BINARY(16);
  DECLARE v_name VARBINARY(512);
  DECLARE v_priority, v_attempts, v_window, v_timeout, v_ttl, v_delay, v_run_at, v_run_later, v_deadline, v_deadline_later, v_first, v_at BIGINT;
  DECLARE v_lanes, v_key_lanes, v_most, v_lane, v_dedupe_lane, v_until, v_seq, v_pending BIGINT;
  DECLARE v_sealing, v_sealed, v_taken, v_alive, v_same, v_mine BOOLEAN DEFAULT FALSE;
  DECLARE v_refused TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT 'retry,fallback,on_success,on_dead,alert,group,';

  CALL outlast_fields('task', task, 'id,type,queue,payload,delay,run_at,priority,key,share_key,dedupe_key,dedupe_window,policy,retry,max_attempts,timeout,deadline,ttl,metadata,target,fallback,on_success,on_dead,alert,trace_parent,group');
  WHILE v_refused <> '' DO
    SET v_text = SUBSTRING_INDEX(v_refused, ',', 1);
    IF JSON_TYPE(JSON_EXTRACT(task, CONCAT('$.', v_text))) <> 'NULL' THEN
      CALL outlast_refuse(v_text, 'cannot be enqueued by SQL', IF(v_text = 'group', 'enqueue by POST /v1/tasks', 'name a policy that has it, or enqueue by POST /v1/tasks'), '45000');
    END IF;
    SET v_refused = SUBSTR(v_refused, LENGTH(v_text) + 2);
  END WHILE;

  IF JSON_TYPE(JSON_EXTRACT(task, '$.target')) <> 'NULL' THEN
    CALL outlast_request(JSON_EXTRACT(task, '$.target'), v_url, v_request, v_hashed);
  END IF;
  CALL outlast_text('type', JSON_EXTRACT(task, '$.type'), 'a text', v_kind);
  SET v_kind = IF(LENGTH(v_kind) > 0, v_kind, IF(v_url IS NULL, NULL, 'http'));
  IF v_kind IS NULL THEN
    CALL outlast_refuse('type', 'is required', 'name the handler, or give a target.url for an HTTP request', '45000');
  END IF;
  CALL outlast_name('type', v_kind);
  SELECT COUNT(*) > 0 INTO v_sealing FROM outlast_object o WHERE o.kind = 'encryption.key';
  CALL outlast_text('queue', JSON_EXTRACT(task, '$.queue'), 'a text', v_text);
  IF COALESCE(LENGTH(v_text), 0) = 0 AND NOT v_sealing THEN
    SET v_name = v_kind;
    SELECT JSON_UNQUOTE(JSON_EXTRACT(CONVERT(o.body USING utf8mb4), '$.queue')) INTO v_text FROM outlast_object o WHERE o.kind = 'type' AND o.name = v_name;
  END IF;
  SET v_text = IF(LENGTH(v_text) > 0, v_text, 'default');
  CALL outlast_name('queue', v_text);
  SET v_queue = v_text;

  IF JSON_EXTRACT(task, '$.payload') IS NOT NULL THEN
    CALL outlast_refuse('payload', 'is taken as the second argument', 'MySQL does not keep JSON byte for byte', '45000');
  END IF;
  SET payload = COALESCE(payload, ''), v_sealed = LEFT(payload, 7) = X'007365616C6564';
  IF v_sealing AND NOT v_sealed THEN
    CALL outlast_refuse('payload', 'is not encrypted, and the tasks of this store are', 'seal it where the keys are, or enqueue by POST /v1/tasks', '45000');
  ELSEIF v_sealed AND NOT v_sealing THEN
    CALL outlast_refuse('payload', 'it is encrypted already, for another task', 'hand in what it was before, read where the keys are', '45000');
  ELSEIF LENGTH(payload) > 1048576 + IF(v_sealing, 128, 0) THEN
    CALL outlast_refuse('payload', CONCAT('the payload has ', LENGTH(payload), ' bytes; the limit is 1048576'), 'keep large data elsewhere and send a reference', '45000');
  ELSEIF v_sealing AND JSON_LENGTH(JSON_EXTRACT(task, '$.target.headers')) > 0 THEN
    CALL outlast_refuse('target.headers', 'are not encrypted, and the tasks of this store are', 'enqueue by POST /v1/tasks', '45000');
  END IF;

  CALL outlast_whole('priority', JSON_EXTRACT(task, '$.priority'), 0, 9, '0 is the lowest, 5 the default', v_priority);
  SET v_priority = COALESCE(v_priority, 5);
  CALL outlast_whole('max_attempts', JSON_EXTRACT(task, '$.max_attempts'), 1, 1000000, 'the first attempt counts; 1 turns retries off', v_attempts);
  CALL outlast_key('key', JSON_EXTRACT(task, '$.key'), 'leave it out for no order', v_key);
  CALL outlast_key('share_key', JSON_EXTRACT(task, '$.share_key'), 'leave it out for none', v_share);
  CALL outlast_key('dedupe_key', JSON_EXTRACT(task, '$.dedupe_key'), 'leave it out for no deduplication', v_dedupe);
  CALL outlast_duration('dedupe_window', JSON_EXTRACT(task, '$.dedupe_window'), v_window);
  IF v_window = 0 THEN
    CALL outlast_refuse('dedupe_window', 'must be more than 0', 'leave it out for 24h', '45000');
  ELSEIF v_window IS NOT NULL AND v_dedupe IS NULL THEN
    CALL outlast_refuse('dedupe_window', 'needs a dedupe_key', 'give both or none', '45000');
  ELSEIF v_window NOT BETWEEN 0 AND 31536000000000000 THEN
    CALL outlast_refuse('dedupe_window', CONCAT(JSON_UNQUOTE(JSON_EXTRACT(task, '$.dedupe_window')), ' is outside 0s to 8760h'), 'leave it out for 24h', '45000');
  ELSEIF v_dedupe IS NOT NULL AND v_sealing THEN
    CALL outlast_refuse('dedupe_key', 'needs the keys, since the tasks of this store are encrypted', 'give the task an id, or enqueue by POST /v1/tasks', '45000');
  END IF;
  CALL outlast_text('policy', JSON_EXTRACT(task, '$.policy'), 'a text', v_policy);
  SET v_policy = COALESCE(v_policy, '');
  IF v_policy NOT REGEXP '^[ -~]{0,128}$' OR v_policy REGEXP '[[:cntrl:]]' THEN
    CALL outlast_refuse('policy', CONCAT(JSON_QUOTE(CONCAT(LEFT(v_policy, 80), IF(CHAR_LENGTH(v_policy) > 80, '…', ''))), ' is not a policy'), 'name an existing policy or a preset such as payment, or write an inline policy', '45000');
  END IF;
  CALL outlast_text('trace_parent', JSON_EXTRACT(task, '$.trace_parent'), 'a text', v_trace);
  SET v_trace = IF(LENGTH(v_trace) > 0, v_trace, NULL);
  IF v_trace NOT REGEXP '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-[ -~]*)?$' OR v_trace REGEXP '^(ff|..-0{32}|.{36}0{16}|00.{54})|[[:cntrl:]]' OR LENGTH(v_trace) > 512 THEN
    CALL outlast_refuse('trace_parent', 'is not a W3C traceparent', 'such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '45000');
  END IF;
  CALL outlast_duration('timeout', JSON_EXTRACT(task, '$.timeout'), v_timeout);
  IF v_timeout = 0 THEN
    CALL outlast_refuse('timeout', 'must be more than 0', 'leave it out for the policy''s own', '45000');
  ELSEIF v_timeout NOT BETWEEN 1000000 AND 86400000000000 THEN
    CALL outlast_refuse('timeout', CONCAT(JSON_UNQUOTE(JSON_EXTRACT(task, '$.timeout')), ' is outside 1ms to 24h'), 'leave it out for the policy''s own', '45000');
  END IF;
  IF JSON_TYPE(JSON_EXTRACT(task, '$.metadata')) <> 'NULL' THEN
    CALL outlast_texts('metadata', JSON_EXTRACT(task, '$.metadata'));
  END IF;

  CALL outlast_duration('delay', JSON_EXTRACT(task, '$.delay'), v_delay);
  SET v_delay = COALESCE(v_delay, 0);
  CALL outlast_moment('run_at', JSON_EXTRACT(task, '$.run_at'), v_run_at, v_run_later);
  CALL outlast_moment('deadline', JSON_EXTRACT(task, '$.deadline'), v_deadline, v_deadline_later);
  CALL outlast_duration('ttl', JSON_EXTRACT(task, '$.ttl'), v_ttl);
  IF v_delay <> 0 AND v_run_at IS NOT NULL THEN
    CALL outlast_refuse('run_at', 'is given together with delay', 'give one of them', '45000');
  ELSEIF v_delay NOT BETWEEN 0 AND v_longest * 1000 THEN
    CALL outlast_refuse('delay', CONCAT(JSON_UNQUOTE(JSON_EXTRACT(task, '$.delay')), ' is outside 0s to 87600h'), 'leave it out to run now', '45000');
  ELSEIF v_run_at > v_now + v_longest THEN
    CALL outlast_refuse('run_at', 'lies more than ten years ahead', 'enqueue it later, from a task that runs before', '45000');
  END IF;
  SET v_first = GREATEST(v_now + v_delay DIV 1000, COALESCE(v_run_at + v_run_later, 0));
  IF v_ttl = 0 THEN
    CALL outlast_refuse('ttl', 'must be more than 0', 'leave it out for no limit', '45000');
  ELSEIF v_ttl IS NOT NULL AND v_deadline IS NOT NULL THEN
    CALL outlast_refuse('ttl', 'is given together with deadline', 'give one of them', '45000');
  ELSEIF v_ttl NOT BETWEEN 0 AND 2 * v_longest * 1000 THEN
    CALL outlast_refuse('ttl', CONCAT(JSON_UNQUOTE(JSON_EXTRACT(task, '$.ttl')), ' is outside 0s to 175200h'), 'leave it out for no limit', '45000');
  ELSEIF v_now + v_ttl DIV 1000 <= v_first THEN
    CALL outlast_refuse('ttl', 'ends before the first run', 'it counts from acceptance', '45000');
  ELSEIF v_deadline <= v_now THEN
    CALL outlast_refuse('deadline', 'has passed', 'leave it out for no limit', '45000');
  ELSEIF v_deadline + v_deadline_later <= v_first THEN
    CALL outlast_refuse('deadline', 'is not after the first run', 'leave it out for no limit', '45000');
  ELSEIF v_deadline > v_now + 2 * v_longest THEN
    CALL outlast_refuse('deadline', 'lies more than ten years ahead', 'enqueue it later, from a task that runs before', '45000');
  END IF;
  SET v_deadline = COALESCE(v_deadline + v_deadline_later, v_now + v_ttl DIV 1000);
  SET v_at = IF(v_run_at + v_run_later > v_now, v_run_at + v_run_later, v_now + v_delay DIV 1000);

  SET v_name = v_queue;
  SELECT q.key_lanes, q.max_pending, (SELECT COUNT(*) FROM outlast_lane l WHERE l.queue = v_name) INTO v_key_lanes, v_most, v_lanes FROM outlast_queue q WHERE q.name = v_name;
  IF v_queue = 'outlast.alerts' THEN
    CALL outlast_refuse('queue', 'the queue outlast.alerts is that of the engine''s own alerts', 'name another queue', '45000');
  ELSEIF COALESCE(v_lanes, 0) = 0 THEN
    CALL outlast_refuse('queue', CONCAT('there is no queue "', v_queue, '"'), 'create it first: outlast queue create NAME, PUT /v1/queues/{name} or Inspector().Queues.Put', '45000');
  END IF;
  SET v_key_lanes = LEAST(v_key_lanes, v_lanes);

  CALL outlast_text('id', JSON_EXTRACT(task, '$.id'), 'a text', v_text);
  IF v_text NOT REGEXP '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$' OR LENGTH(v_text) > 36 THEN
    CALL outlast_refuse('id', CONCAT(JSON_QUOTE(LEFT(v_text, 80)), ' is not a task id'), 'an id is a UUID of version 7, such as 019a9f2e-5c00-7abc-8def-0123456789ab', '45000');
  END IF;
  SET v_text = COALESCE(REPLACE(v_text, '-', ''), CONCAT(LPAD(HEX(v_now DIV 1000), 12, '0'), '7', LEFT(v_random, 3), SUBSTR('89ab', 1 + FLOOR(RAND() * 4), 1), SUBSTR(v_random, 4, 15)));
  CALL outlast_lane_of(COALESCE(v_key, v_dedupe, UNHEX(LEFT(v_text, 28))), v_queue, IF(COALESCE(v_key, v_dedupe) IS NULL, v_lanes, v_key_lanes), v_lane);
  SET id = UNHEX(CONCAT(LEFT(v_text, 28), LPAD(HEX(v_lane), 4, '0'))), existing = FALSE;

  IF v_dedupe IS NOT NULL THEN
    CALL outlast_lane_of(v_dedupe, v_queue, v_key_lanes, v_dedupe_lane);
    SET v_content = LEFT(UNHEX(SHA2(CONCAT(UNHEX(LPAD(HEX(LENGTH(v_kind)), 16, '0')), CAST(v_kind AS BINARY), UNHEX(LPAD(HEX(LENGTH(payload)), 16, '0')), payload, COALESCE(v_hashed, ''),
      UNHEX(LPAD(HEX(4 + LENGTH(COALESCE(v_key, ''))), 16, '0')), 'key:', CAST(COALESCE(v_key, '') AS BINARY), UNHEX(LPAD(HEX(v_delay), 16, '0')), IF(v_run_at IS NULL, '', UNHEX(LPAD(HEX(v_run_at), 16, '0')))), 256)), 16);
    SET v_until = v_now + COALESCE(v_window, 86400000000000) DIV 1000;
    INSERT INTO outlast_dedupe (lane, queue, dedupe_key, id, content, expires) VALUES (v_dedupe_lane, v_queue, v_dedupe, id, v_content, v_until) ON DUPLICATE KEY UPDATE lane = lane; -- locks it
    SELECT d.id, d.content = v_content, d.id = id AND d.content = v_content AND d.expires = v_until,
      d.expires > v_now OR COALESCE((SELECT t.state = 0 FROM outlast_task t WHERE t.id = d.id LOCK IN SHARE MODE), FALSE) INTO v_held, v_same, v_mine, v_alive
    FROM outlast_dedupe d WHERE d.lane = v_dedupe_lane AND d.queue = CAST(v_queue AS BINARY) AND d.dedupe_key = CAST(v_dedupe AS BINARY) FOR UPDATE;
    IF NOT v_alive THEN
      UPDATE outlast_dedupe d SET d.id = id, d.content = v_content, d.expires = v_until
      WHERE d.lane = v_dedupe_lane AND d.queue = CAST(v_queue AS BINARY) AND d.dedupe_key = CAST(v_dedupe AS BINARY);
    ELSEIF NOT v_same THEN
      CALL outlast_refuse('dedupe_key', 'the dedupe key belongs to a task of other content', CONCAT('the task is ', LOWER(HEX(v_held))), '23000');
    ELSEIF NOT v_mine THEN
      SET id = v_held, existing = TRUE;
    END IF;
  END IF;

  -- What limits watch: the host with a port that is not the scheme's own, or the type.
  SET v_scheme = SUBSTRING_INDEX(v_url, ':', 1);
  SET v_host = IF(v_scheme = 'group', SUBSTRING_INDEX(SUBSTR(v_url, 7), '/', 1), SUBSTRING_INDEX(SUBSTRING_INDEX(SUBSTR(v_url, LENGTH(v_scheme) + 4), '/', 1), '?', 1));
  SET v_target = COALESCE(CASE v_scheme WHEN 'group' THEN CONCAT('group:', v_host) WHEN 'http' THEN REGEXP_REPLACE(LOWER(v_host), ':80$', '') ELSE REGEXP_REPLACE(LOWER(v_host), ':443$', '') END, v_kind);
  SET v_target = IF(v_target = v_kind AND v_url IS NOT NULL, CONCAT(v_scheme, ':', v_target), v_target);
  SET v_spec = CONCAT_WS(',', CONCAT('"max_attempts":', v_attempts), CONCAT('"timeout":', v_timeout), CONCAT('"metadata":', NULLIF(JSON_EXTRACT(task, '$.metadata'), 'null')), CONCAT('"http":', v_request),
    CONCAT('"deadline":"', DATE_FORMAT(TIMESTAMPADD(MICROSECOND, v_deadline, CAST('1970-01-01' AS DATETIME(6))), '%Y-%m-%dT%H:%i:%s.%f'), 'Z"'),
    CONCAT('"dedupe_key":', JSON_QUOTE(v_dedupe)), IF(v_dedupe IS NULL, NULL, CONCAT('"dedupe_window":', COALESCE(v_window, 86400000000000))), CONCAT('"share_key":', JSON_QUOTE(v_share)), CONCAT('"trace_parent":', JSON_QUOTE(v_trace)));
  IF NOT existing THEN
    -- A number of the counter would keep all others waiting for this transaction. Those of the
    -- store are no smaller than the time either.
    IF v_key IS NOT NULL THEN
      SET v_name = v_key, v_seq = v_now;
      SELECT GREATEST(v_now, 1 + (t.turn & 4611686018427387903)) INTO v_seq FROM outlast_task t WHERE t.lane = v_lane AND t.line = v_name ORDER BY t.turn DESC LIMIT 1;
    END IF;
    BEGIN
      DECLARE CONTINUE HANDLER FOR 1062 SET v_taken = TRUE;
      INSERT INTO outlast_task (id, lane, run_rank, run_at, priority, size, created_at, updated_at, seq, turn, line, order_key, queue, type, target, policy, trace, spec, payload, share_key)
      VALUES (id, v_lane, v_at - v_priority * 30000000, v_at, v_priority, LENGTH(payload), v_now, v_now, v_seq, v_seq + 4611686018427387904, v_key, v_key, v_queue, v_kind, v_target, v_policy,
        LEFT(v_trace, 255), IF(v_spec = '', NULL, CONCAT('{', v_spec, '}')), payload, v_share);
    END;
    IF v_taken THEN -- its row is locked now
      SELECT t.queue = CAST(v_queue AS BINARY) AND t.type = CAST(v_kind AS BINARY) AND COALESCE(t.order_key, '') = CAST(COALESCE(v_key, '') AS BINARY) AND COALESCE(t.payload, '') = payload
        AND (t.target = CAST(v_target AS BINARY) OR COALESCE(JSON_UNQUOTE(JSON_EXTRACT(CONVERT(t.spec USING utf8mb4), '$.http.url')) = v_url, FALSE)
          OR t.target LIKE '@%' AND v_url IS NULL AND JSON_EXTRACT(CONVERT(t.spec USING utf8mb4), '$.http') IS NULL)
      INTO v_same FROM outlast_task t WHERE t.id = id LOCK IN SHARE MODE;
      IF NOT v_same THEN
        CALL outlast_refuse('id', 'the id belongs to a task of other content', 'make another one, or leave it out', '23000');
      END IF;
      SET existing = TRUE;
    END IF;
  END IF;

  IF v_most > 0 AND NOT existing THEN
    SELECT COUNT(*) INTO v_pending FROM (SELECT 1 FROM outlast_lane l STRAIGHT_JOIN outlast_task t FORCE INDEX (outlast_task_rank)
      ON t.lane = l.lane AND t.state = 0 LEFT JOIN outlast_run r ON r.id = t.id WHERE l.queue = CAST(v_queue AS BINARY) AND r.id IS NULL LIMIT v_most, 1) few;
    IF v_pending > 0 THEN
      CALL outlast_refuse('queue', CONCAT('the queue "', v_queue, '" has its limit of ', v_most, ' pending tasks'), 'try again later, or raise max_pending', '53400');
    END IF;
  END IF;
END -- $$
;

-- version 1: arguments and fields are only added. It undoes what it did itself if it fails, unless
-- its statement is killed: the handler may not run then.
CREATE PROCEDURE outlast_enqueue(task LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, payload LONGBLOB) COMMENT 'version 1: arguments and fields are only added'
BEGIN -- $$
  DECLARE v_id BINARY(16);
  DECLARE v_existing BOOLEAN DEFAULT FALSE;
  DECLARE v_wait BIGINT DEFAULT @@SESSION.innodb_lock_wait_timeout;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    BEGIN
      DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; -- a deadlock has undone all
      ROLLBACK TO SAVEPOINT outlast_enqueue;
      SET SESSION innodb_lock_wait_timeout = v_wait;
    END;
    RESIGNAL;
  END;
  BEGIN
    DECLARE EXIT HANDLER FOR 1305 CALL outlast_refuse('task', 'no transaction is open', 'begin one first: START TRANSACTION', '0A000'); -- there is no savepoint
    SAVEPOINT outlast_enqueue;
    ROLLBACK TO SAVEPOINT outlast_enqueue;
  END;
  IF /*M! @@SESSION.tx_isolation */ /*!80000 @@SESSION.transaction_isolation */ = 'SERIALIZABLE' THEN
    CALL outlast_refuse('task', 'nodes would wait for what a SERIALIZABLE transaction reads', 'set the session to READ COMMITTED or REPEATABLE READ', '0A000');
  END IF;
  SET SESSION innodb_lock_wait_timeout = 1;
  CALL outlast_insert(task, payload, v_id, v_existing);
  SET SESSION innodb_lock_wait_timeout = v_wait;
  RELEASE SAVEPOINT outlast_enqueue;
  SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(v_id), 1, 8), SUBSTR(HEX(v_id), 9, 4), SUBSTR(HEX(v_id), 13, 4), SUBSTR(HEX(v_id), 17, 4), SUBSTR(HEX(v_id), 21))) AS id, v_existing AS existing;
END -- $$
;

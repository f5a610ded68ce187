package classify

import "strings"

// redisEntry is a row of the Redis table.
type redisEntry struct {
	word     string
	category Category
	effect   Effect
}

// redisErrors is the table of the first words of errors of Redis. MOVED and ASK
// name another node, where cluster clients go by themselves; NOSCRIPT wants the
// script loaded first.
//
// Source: the Redis documentation of commands, clusters and replication, and the
// errors that github.com/redis/go-redis retries.
var redisErrors = []redisEntry{
	{"LOADING", Unavailable, NotSent},
	{"READONLY", Unavailable, NotSent},
	{"MASTERDOWN", Unavailable, NotSent},
	{"CLUSTERDOWN", Unavailable, NotSent},
	{"NOREPLICAS", Unavailable, Maybe},
	{"MISCONF", Unavailable, NotSent},
	{"TRYAGAIN", Conflict, NotSent},
	{"MOVED", Unsent, NotSent},
	{"ASK", Unsent, NotSent},
	{"BUSY", Throttled, NotSent},
	{"OOM", Throttled, NotSent},
	{"NOSCRIPT", Permanent, NotSent},
	{"NOAUTH", Permanent, NotSent},
	{"WRONGPASS", Permanent, NotSent},
	{"NOPERM", Permanent, NotSent},
	{"CROSSSLOT", Permanent, NotSent},
	{"WRONGTYPE", Permanent, Done},
	{"EXECABORT", Permanent, NotSent},
	{"BUSYGROUP", Permanent, Done},
	{"BUSYKEY", Permanent, Done},
	{"ERR", Permanent, Done},
}

// redisTexts are errors with the method RedisError that begin with no word of
// their own. The last two are made by the client: no such key, and a WATCH that
// noticed a change.
var redisTexts = []struct {
	text     string
	code     string
	category Category
	effect   Effect
}{
	{"ERR max number of clients reached", "maxclients", Throttled, NotSent},
	{"redis: nil", "nil", Permanent, Done},
	{"redis: transaction failed", "watch", Conflict, Done},
}

// redisRows is redisErrors by word.
var redisRows = func() map[string]*redisEntry {
	rows := make(map[string]*redisEntry, len(redisErrors))
	for i := range redisErrors {
		rows[redisErrors[i].word] = &redisErrors[i]
	}
	return rows
}()

// byRedisError classifies an answer of Redis, which go-redis marks by the method
// RedisError. Some servers put "ERR " in front of the word.
func byRedisError(err error) (Verdict, bool) {
	text := err.Error()
	for i := range redisTexts {
		if row := &redisTexts[i]; strings.HasPrefix(text, row.text) {
			return Verdict{Category: row.category, Effect: row.effect, Code: row.code}, true
		}
	}
	word, rest, _ := strings.Cut(text, " ")
	row := redisRows[word]
	if row != nil && word == "ERR" {
		inner, _, _ := strings.Cut(rest, " ")
		if other := redisRows[inner]; other != nil {
			row = other
		}
	}
	if row == nil {
		return Verdict{}, false
	}
	return Verdict{Category: row.category, Effect: row.effect, Code: row.word}, true
}

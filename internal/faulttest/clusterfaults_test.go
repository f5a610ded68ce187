package faulttest

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servers"
)

// clusterFault is one way in which three nodes and their database are hurt, under
// load, and heal again.
type clusterFault struct {
	name     string
	run      func(c *cluster, cycle int)
	shape    func(*nodeConfig)   // of the nodes
	settings map[string][]string // of the server, by dialect
	alone    bool                // it hurts the server, which no other scenario uses then
	anywhere bool                // a file of SQLite will do: a process that stands still inside a write keeps the file locked
	engines  bool                // it is about what engines do, which worldtest shows: only where somebody asks how often
}

var clusterFaults = []clusterFault{
	{name: "kill -9 of a node", run: killNode, anywhere: true},
	{name: "a node stands still for 15 s", run: pauseNode},
	{name: "connections killed", run: killConnections},
	{name: "database restarted", run: restartDatabase, alone: true},
	{name: "connections exhausted", run: exhaustConnections, alone: true, shape: func(n *nodeConfig) { n.Connections = 4 },
		settings: map[string][]string{"postgres": {"max_connections=40"}, "mariadb": {"max-connections=40"}}},
	{name: "deadlocks and conflicts", run: conflicts},
	{name: "answers of the store lost", run: lostAnswers, anywhere: true, engines: true, shape: func(n *nodeConfig) {
		n.Faults = &lossyStore{Seed: seed(), Lose: 0.05, Fail: 0.05}
	}},
	{name: "answers of the database lost", run: lostReplies},
	{name: "a node cut off", run: cutOff},
	{name: "connections forgotten", run: forgottenConnections},
}

// TestCluster hurts three nodes on PostgreSQL and on MariaDB in every way, once or as often
// as OUTLAST_FAULT_CLUSTER says; then on SQLite too, in those that need no server, and in
// those that are about engines. After each time everything is drained, and the database
// compared with the ledger: nothing lost, nothing unexpected, and I1 to I8.
func TestCluster(t *testing.T) {
	t.Parallel()
	all := os.Getenv("OUTLAST_FAULT_CLUSTER") != ""
	for _, d := range dialects {
		for _, fault := range clusterFaults {
			if !all && (fault.engines || d.start == nil) || d.start == nil && !fault.anywhere {
				continue
			}
			t.Run(d.name+"/"+fault.name, func(t *testing.T) {
				t.Parallel()
				var settings []servers.Option
				for _, setting := range fault.settings[d.name] {
					settings = append(settings, servers.With(setting))
				}
				c := newCluster(t, d, fault.shape)
				if fault.alone {
					c.alone(settings...)
				}
				c.campaign(fault, clusterCycles())
			})
		}
	}
}

// clusterSegment is how many cycles one database sees.
const clusterSegment = 5

func (c *cluster) campaign(f clusterFault, cycles int) {
	tasks, runs := 0, 0
	for n := range cycles {
		if n%clusterSegment == 0 {
			c.begin()
		}
		rest := c.busy()
		f.run(c, n)
		rest()
		c.settled()
		if last := n == cycles-1 || (n+1)%clusterSegment == 0; last || len(c.violations) > 0 {
			c.finished()
			tasks, runs = tasks+len(c.ledger.orders), runs+len(c.ledger.calls)
		}
		if len(c.violations) > 0 {
			c.Logf("stopped after %d cycles", n+1)
			for _, m := range c.members {
				c.Logf("the last lines of %s:\n%s", m.name(), m.process().output)
			}
			return
		}
	}
	c.Logf("%d cycles, %d tasks, %d runs, %d innocent crash loops", cycles, tasks, runs, c.crashLoops)
	if len(c.taken) > 0 {
		c.Logf("%d tasks taken over: p50 %s, max %s after the fault", len(c.taken), percentile(c.taken, 50), percentile(c.taken, 100))
	}
	if c.early < time.Hour {
		c.Logf("%s at least from the end of an old run to the new one", c.early.Round(time.Millisecond))
	}
}

// clusterCycles is how often each fault is made.
func clusterCycles() int {
	if n, err := strconv.Atoi(os.Getenv("OUTLAST_FAULT_CLUSTER")); err == nil && n > 0 {
		return n
	}
	return 1
}

// victim is the node of a cycle: one that runs some of the tasks, since chance says
// which lanes they are in.
func (c *cluster) victim(held []*order) *member {
	c.Helper()
	var busy []*member
	for _, m := range c.members {
		if slices.ContainsFunc(held, func(o *order) bool {
			calls := c.ledger.callsOf(o.N)
			return len(calls) > 0 && calls[len(calls)-1].node == m.name()
		}) {
			busy = append(busy, m)
		}
	}
	if len(busy) == 0 {
		c.Fatalf("none of the nodes runs one of %d tasks", len(held))
	}
	return busy[c.random.IntN(len(busy))]
}

// patience is how long a cycle goes on at most until it has made enough faults.
const patience = time.Minute

// let lets the load go on for a while.
func (c *cluster) let(d time.Duration) {
	time.Sleep(d) // sleep: the fault lasts, and the load goes on
}

// killNode kills a node while it runs tasks. Another one runs them, at no cost, and
// the node comes back as a new process.
func killNode(c *cluster, _ int) {
	held := c.held(24)
	m := c.victim(held)
	m.down.Store(true)
	since := time.Now()
	c.harness.end(m.process())
	c.takenFrom(m, held, since)
	c.ledger.openGates()
	c.enter(m)
	c.balanced()
}

// pauseNode stops a node for longer than others wait for it, and lets it bring its
// late results while others run the tasks.
func pauseNode(c *cluster, _ int) {
	held := c.held(24)
	m := c.victim(held)
	name, since := m.name(), time.Now()
	m.down.Store(true)
	c.pause(m.process())
	taken := c.takenFrom(m, held, since)
	c.ledger.openGate(name, 500) // these answers wait in its sockets
	c.let(15*time.Second - time.Since(since))
	c.resume(m.process())
	c.ledger.note(trouble{node: name, from: since, to: time.Now().Add(time.Second)})
	c.let(2 * time.Second)
	c.expectRunning(taken, "the late answer of a node that stood still")
	m.down.Store(false)
	c.ledger.openGates()
	c.balanced()
}

// killConnections ends connections at random, those that listen too. Nobody is taken
// for dead.
func killConnections(c *cluster, _ int) {
	killed, began := 0, time.Now()
	for time.Since(began) < 3*time.Second || killed < 10 && time.Since(began) < patience {
		query := c.connections
		if c.random.IntN(3) == 0 && c.listening != "" {
			query = c.listening
		}
		killed += c.killSome(c.admin, query, 1+c.random.IntN(3))
		c.let(time.Duration(20+c.random.IntN(150)) * time.Millisecond)
	}
	if killed < 10 {
		c.violation("only %d connections were killed", killed)
	}
}

// killSome ends the first connections that a query names.
func (c *cluster) killSome(on session, query string, most int) (killed int) {
	c.Helper()
	rows, err := readRows(c.ctx, on, fmt.Sprintf("%s limit %d", query, most))
	if err != nil {
		c.Fatal(err)
	}
	for _, row := range rows {
		if _, err := on.ExecContext(c.ctx, fmt.Sprintf(c.kill, row[0])); err == nil { // it may have ended
			killed++
		}
	}
	return killed
}

// restartDatabase restarts the server, without a word to anyone; every other time it
// is gone for longer than nodes trust themselves. Nobody is taken for dead, and who
// does not give himself up keeps what he runs.
func restartDatabase(c *cluster, cycle int) {
	held, stopped, before := c.held(6), time.Now(), c.lost()
	c.server.Stop(servers.Immediate)
	if cycle%2 == 1 {
		c.let(6 * time.Second)
	}
	if err := c.server.Start(c.ctx); err != nil {
		c.Fatal(err)
	}
	c.Logf("the database was gone for %s", time.Since(stopped).Round(time.Millisecond))
	c.let(2 * time.Second)
	if cycle%2 == 0 && c.lost() == before {
		c.expectRunning(held, "a short restart of the database")
	}
	c.ledger.openGates()
	c.balanced()
}

// lost is how often nodes have given themselves up.
func (c *cluster) lost() (times int) {
	for _, m := range c.members {
		times += m.process().output.timesLost()
	}
	return times
}

// exhaustConnections takes every connection that the server has to give, for a while;
// every other time for longer than nodes trust themselves.
func exhaustConnections(c *cluster, cycle int) {
	span := 2 * time.Second
	if cycle%2 == 1 {
		span = 8 * time.Second
	}
	hog, err := sql.Open(c.driver, c.system(c.server))
	if err != nil {
		c.Fatal(err)
	}
	defer hog.Close() // after what was taken
	ours, err := c.admin.Conn(c.ctx)
	if err != nil {
		c.Fatal(err)
	}
	defer ours.Close()
	began, full, taken, killed := time.Now(), time.Time{}, 0, 0
	for full.IsZero() || time.Since(full) < span {
		ctx, cancel := context.WithTimeout(c.ctx, time.Second)
		conn, err := hog.Conn(ctx)
		cancel()
		if err == nil {
			defer conn.Close()
			taken++
			continue
		}
		if full.IsZero() {
			full = time.Now()
		}
		if time.Since(full) < span/2 {
			killed += c.killSome(ours, c.connections, 100)
		}
		c.let(20 * time.Millisecond)
	}
	c.ledger.note(trouble{node: "*", from: began, to: time.Now().Add(7 * time.Second)})
	c.Logf("%d connections taken, %d killed", taken, killed)
	if taken < 10 || killed < 1 { // idle nodes hold few
		c.violation("only %d connections were taken, and %d killed", taken, killed)
	}
}

// conflicts lets statements fail as deadlocks and serialization failures do, and
// locks rows in a random order, which makes real deadlocks.
func conflicts(c *cluster, _ int) {
	c.plan(c.plant)
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	var lockers sync.WaitGroup
	var locked atomic.Int64
	began := time.Now()
	for range 2 {
		lockers.Go(func() {
			for time.Since(began) < 3*time.Second || locked.Load() < 5 && ctx.Err() == nil {
				locked.Add(c.lockSome(ctx))
			}
		})
	}
	lockers.Wait()
	c.plan(c.calm)
	if locked.Load() < 5 {
		c.violation("only %d rows were locked", locked.Load())
	}
}

// plan runs planted statements.
func (c *cluster) plan(p planted) {
	c.Helper()
	statements := p.once
	for _, table := range c.tables() {
		for _, statement := range p.each {
			statements = append(statements, fmt.Sprintf(statement, table))
		}
	}
	for _, statement := range statements {
		_, err := c.admin.ExecContext(c.ctx, statement)
		for tries := 1; err != nil && tries < 20; tries++ { // it may be the victim of a deadlock itself
			_, err = c.admin.ExecContext(c.ctx, statement)
		}
		if err != nil {
			c.Fatalf("%s: %v", statement, err)
		}
	}
}

// lockSome locks a few rows, one by one, in a random order, and returns how many it
// got before somebody ended that.
func (c *cluster) lockSome(ctx context.Context) (locked int64) {
	tx, err := c.admin.BeginTx(ctx, nil)
	if err != nil {
		return 0
	}
	defer tx.Rollback()
	keys, err := readRows(ctx, tx, "select lane, id from outlast_task order by "+c.chance+" limit 4")
	if err != nil {
		return 0
	}
	for _, key := range keys {
		var one int
		if tx.QueryRowContext(ctx, c.locked, key[0], key[1]).Scan(&one) != nil {
			return locked
		}
		locked++
		c.let(20 * time.Millisecond)
	}
	return locked
}

// lostAnswers is about nodes whose store calls fail and lose their answers, from
// their start on.
func lostAnswers(c *cluster, _ int) { c.let(4 * time.Second) }

// lostReplies lets the network lose answers of the database, to every third commit
// and to some other statements, with the connections.
func lostReplies(c *cluster, _ int) {
	for _, m := range c.members {
		random := rand.New(rand.NewPCG(c.random.Uint64(), 1))
		m.net.lose(func(request []byte) bool {
			return random.Float64() < 0.02 || isCommit(request) && random.Float64() < 0.3
		})
	}
	lost := func() (answers, commits int) {
		for _, m := range c.members {
			some, ofCommits := m.net.lost()
			answers, commits = answers+some, commits+ofCommits
		}
		return answers, commits
	}
	c.let(4 * time.Second)
	c.promised(bound(patience), "ten answers are lost", func() bool { answers, _ := lost(); return answers >= 10 })
	for _, m := range c.members {
		m.net.lose(nil)
	}
	answers, commits := lost()
	c.Logf("%d answers lost so far, %d of them to commits", answers, commits)
}

// cuts are the ways in which the network between a node and its database fails.
var cuts = []struct {
	name string
	cut  func(*proxy)
}{
	{"reset", (*proxy).cut},
	{"silent both ways", func(p *proxy) { p.stall(up, down) }},
	{"nothing reaches the database", func(p *proxy) { p.stall(up) }},
	{"nothing reaches the node", func(p *proxy) { p.stall(down) }},
}

// cutOff cuts a node off for nine seconds. It stops what it runs before others start
// it. What was on its way arrives late.
func cutOff(c *cluster, cycle int) {
	how := cuts[(cycle+len(c.name))%len(cuts)] // all of them, over two servers and three cycles
	held := c.held(24)
	m := c.victim(held)
	name, since := m.name(), time.Now()
	how.cut(m.net)
	taken := c.takenFrom(m, held, since)
	c.ledger.openGate(name, 500)
	c.let(9*time.Second - time.Since(since))
	m.net.heal()
	c.ledger.note(trouble{node: name, from: since, to: time.Now().Add(3 * time.Second)})
	c.let(2 * time.Second)
	c.expectRunning(taken, "the return of a node that was cut off ("+how.name+")")
	c.ledger.openGates()
	c.balanced()
}

// forgottenConnections makes the connections of a node silent for ever; new ones
// work. Neither end is told.
func forgottenConnections(c *cluster, _ int) {
	held := c.held(6)
	m := c.victim(held)
	name, since := m.name(), time.Now()
	m.net.forget()
	c.let(3 * time.Second)
	c.ledger.openGates()
	c.promised(bound(30*time.Second), "what ran when connections were forgotten has ended", func() bool {
		for _, o := range held {
			if !c.has(c.any(c.random).process(), o.id).State.Final() {
				return false
			}
		}
		return true
	})
	c.ledger.note(trouble{node: name, from: since, to: time.Now().Add(time.Second)})
	c.Logf("everything went on %s after the connections were forgotten", time.Since(since).Round(10*time.Millisecond))
	c.balanced()
}

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
)

// statementsModule counts what each statement costs the server. Servers that this
// program starts for --profile have it.
const statementsModule = "pg_stat_statements"

// counting reports whether there is a PostgreSQL that counts its statements, and
// makes the view if it is not there yet.
func (v *servers) counting(ctx context.Context) (bool, error) {
	if v.postgres == nil {
		return false, nil
	}
	var modules string
	if err := v.postgres.admin.QueryRow(ctx, "SHOW shared_preload_libraries").Scan(&modules); err != nil || !strings.Contains(modules, statementsModule) {
		return false, err
	}
	_, err := v.postgres.admin.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS "+statementsModule)
	return err == nil, err
}

// forget starts to count anew.
func (v *servers) forget() error {
	ctx := context.Background() //nolint:contextcheck // a short question beside the measured stretch
	counts, err := v.counting(ctx)
	if counts {
		_, err = v.postgres.admin.Exec(ctx, "SELECT pg_stat_statements_reset()")
	}
	return err
}

// writeStatements writes the dearest statements since. Times are those of the wall,
// so waiting counts.
func (v *servers) writeStatements(path string) error {
	ctx := context.Background() //nolint:contextcheck // as in forget
	counts, err := v.counting(ctx)
	if !counts {
		return err
	}
	rows, err := v.postgres.admin.Query(ctx, `
		SELECT calls, rows, total_exec_time, wal_bytes::bigint, left(regexp_replace(query, '\s+', ' ', 'g'), 200)
		FROM pg_stat_statements WHERE dbid <> (SELECT oid FROM pg_database WHERE datname = current_database())
		ORDER BY total_exec_time DESC LIMIT 25`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "calls\trows\tms\tlog kB\t statement\t")
	for rows.Next() {
		var calls, touched, log int64
		var took float64
		var statement string
		if err := rows.Scan(&calls, &touched, &took, &log, &statement); err != nil {
			return err
		}
		fmt.Fprintf(table, "%d\t%d\t%.0f\t%d\t %s\n", calls, touched, took, log>>10, statement)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

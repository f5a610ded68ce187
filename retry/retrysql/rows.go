package retrysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
)

// stmt is a prepared statement of the driver.
type stmt struct {
	driver.Stmt
	conn *conn
	text string
}

// ExecContext implements [driver.StmtExecContext].
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if err := s.conn.next(ctx); err != nil {
		return nil, err
	}
	result, err := s.exec(ctx, args)
	if err == nil {
		s.conn.watch.Statement(s.text)
	}
	return result, s.conn.saw(err)
}

func (s *stmt) exec(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if execer, ok := s.Stmt.(driver.StmtExecContext); ok {
		return execer.ExecContext(ctx, args)
	}
	values, err := unnamed(args)
	if err != nil {
		return nil, err
	}
	return s.Stmt.Exec(values) //nolint:staticcheck // the driver has nothing newer
}

// QueryContext implements [driver.StmtQueryContext].
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if err := s.conn.next(ctx); err != nil {
		return nil, err
	}
	found, err := s.query(ctx, args)
	if err != nil {
		return nil, s.conn.saw(err)
	}
	return &rows{found, s.conn}, nil
}

func (s *stmt) query(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if queryer, ok := s.Stmt.(driver.StmtQueryContext); ok {
		return queryer.QueryContext(ctx, args)
	}
	values, err := unnamed(args)
	if err != nil {
		return nil, err
	}
	return s.Stmt.Query(values) //nolint:staticcheck // the driver has nothing newer
}

// CheckNamedValue implements [driver.NamedValueChecker]: that of the statement
// counts before that of the connection.
func (s *stmt) CheckNamedValue(value *driver.NamedValue) error {
	if checker, ok := s.Stmt.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}
	return s.conn.CheckNamedValue(value)
}

// convertingStmt is a statement of a driver that converts arguments by column. It
// is a type of its own because database/sql treats such statements differently.
type convertingStmt struct {
	*stmt
	driver.ColumnConverter
}

// rows are rows of the driver. Where the driver lacks something that database/sql
// looks for, they say what database/sql assumes then.
type rows struct {
	driver.Rows
	conn *conn
}

// Next implements [driver.Rows]: errors that come with a row are errors of the
// transaction.
func (r *rows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if errors.Is(err, io.EOF) {
		return err
	}
	return r.conn.saw(err)
}

// Close implements [driver.Rows]: some drivers report the error of the statement
// here.
func (r *rows) Close() error { return r.conn.saw(r.Rows.Close()) }

// HasNextResultSet implements [driver.RowsNextResultSet].
func (r *rows) HasNextResultSet() bool {
	more, ok := r.Rows.(driver.RowsNextResultSet)
	return ok && more.HasNextResultSet()
}

// NextResultSet implements [driver.RowsNextResultSet].
func (r *rows) NextResultSet() error {
	more, ok := r.Rows.(driver.RowsNextResultSet)
	if !ok {
		return io.EOF
	}
	err := more.NextResultSet()
	if errors.Is(err, io.EOF) {
		return err
	}
	return r.conn.saw(err)
}

// ColumnTypeScanType implements [driver.RowsColumnTypeScanType].
func (r *rows) ColumnTypeScanType(index int) reflect.Type {
	if known, ok := r.Rows.(driver.RowsColumnTypeScanType); ok {
		return known.ColumnTypeScanType(index)
	}
	return reflect.TypeFor[any]()
}

// ColumnTypeDatabaseTypeName implements [driver.RowsColumnTypeDatabaseTypeName].
func (r *rows) ColumnTypeDatabaseTypeName(index int) string {
	if known, ok := r.Rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return known.ColumnTypeDatabaseTypeName(index)
	}
	return ""
}

// ColumnTypeLength implements [driver.RowsColumnTypeLength].
func (r *rows) ColumnTypeLength(index int) (int64, bool) {
	if known, ok := r.Rows.(driver.RowsColumnTypeLength); ok {
		return known.ColumnTypeLength(index)
	}
	return 0, false
}

// ColumnTypeNullable implements [driver.RowsColumnTypeNullable].
func (r *rows) ColumnTypeNullable(index int) (nullable, ok bool) {
	if known, ok := r.Rows.(driver.RowsColumnTypeNullable); ok {
		return known.ColumnTypeNullable(index)
	}
	return false, false
}

// ColumnTypePrecisionScale implements [driver.RowsColumnTypePrecisionScale].
func (r *rows) ColumnTypePrecisionScale(index int) (precision, scale int64, ok bool) {
	if known, ok := r.Rows.(driver.RowsColumnTypePrecisionScale); ok {
		return known.ColumnTypePrecisionScale(index)
	}
	return 0, 0, false
}

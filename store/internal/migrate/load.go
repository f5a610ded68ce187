package migrate

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

var fileName = regexp.MustCompile(`^([0-9]{4})_[a-z0-9_]+\.sql$`)

// Load reads the files 0001_name.sql, 0002_name.sql and so on of one folder.
// A statement ends with a semicolon at the end of a line, outside of a body
// between two $$; lines that begin with -- are left out. From the second file
// on statements must not take away what an older program needs.
func Load(dialect *Dialect, files fs.FS, dir string) (*Set, error) {
	entries, err := fs.ReadDir(files, dir) // by name
	if err != nil {
		return nil, err
	}
	s := &Set{dialect: dialect}
	for _, entry := range entries {
		m, err := load(files, path.Join(dir, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", entry.Name(), err)
		}
		if m.Version != len(s.all)+1 {
			return nil, fmt.Errorf("migration %s: number %d is missing", entry.Name(), len(s.all)+1)
		}
		s.all = append(s.all, m)
	}
	if len(s.all) == 0 {
		return nil, errors.New("there are no migrations in " + dir)
	}
	return s, nil
}

func load(files fs.FS, file string) (Migration, error) {
	parts := fileName.FindStringSubmatch(path.Base(file))
	if parts == nil {
		return Migration{}, errors.New("the name is not like 0001_init.sql")
	}
	version, err := strconv.Atoi(parts[1])
	if err != nil {
		return Migration{}, err
	}
	text, err := fs.ReadFile(files, file)
	if err != nil {
		return Migration{}, err
	}
	m := Migration{Version: version, Name: strings.TrimSuffix(path.Base(file), ".sql"), Statements: split(string(text))}
	if len(m.Statements) == 0 {
		return m, errors.New("it has no statements")
	}
	for _, statement := range m.Statements {
		if version > 1 && breaks(statement) {
			return m, fmt.Errorf("a program that knows only older migrations would break by %s", firstLine(statement))
		}
	}
	return m, nil
}

var (
	takesAway = regexp.MustCompile(`(?i)\b(drop\s+table|drop\s+column|drop\s+schema|rename\s+(to|column|table)|truncate|set\s+not\s+null)\b`)
	alters    = regexp.MustCompile(`(?i)^alter\s+table\b`)
	required  = regexp.MustCompile(`(?i)\bnot\s+null\b`)
	defaulted = regexp.MustCompile(`(?i)\bdefault\b`)
)

// breaks recognises the usual ways to break an older program that runs beside
// a newer one: taking away, and new columns that it does not know how to fill.
func breaks(statement string) bool {
	unfilled := alters.MatchString(statement) &&
		len(required.FindAllString(statement, -1)) > len(defaulted.FindAllString(statement, -1))
	return unfilled || takesAway.MatchString(statement)
}

func split(text string) []string {
	var all []string
	var statement strings.Builder
	body := false // between two $$
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if !body && (line == "" || strings.HasPrefix(line, "--")) {
			continue
		}
		if strings.Count(line, "$$")%2 == 1 {
			body = !body
		}
		ended := !body && strings.HasSuffix(line, ";")
		if ended {
			line = strings.TrimSuffix(line, ";")
		}
		statement.WriteString(line + "\n")
		if ended {
			all = append(all, strings.TrimSpace(statement.String()))
			statement.Reset()
		}
	}
	if rest := strings.TrimSpace(statement.String()); rest != "" {
		all = append(all, rest)
	}
	return all
}

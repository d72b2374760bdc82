package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// The stores of opencode and Crush. A session in one is read as its client exports it. Rules:
//   - A database is only read. Its write-ahead log counts, also while the client runs.
//   - A value that is no JSON becomes a part of type damaged.
//   - Sessions with a parent belong to sub-agents and are left out.
//   - A database can be hostile: reading it fails after storeTime, or at a value of more than maxValue bytes.

const (
	storeTime = time.Minute
	maxValue  = 256 << 20
)

// query holds the SQL texts that read the store of one client.
type query struct {
	sessions string // the ids of all sessions, and when they were changed, as Unix time
	head     string // the head of one session's export
	messages string // the messages of one session's export, in order
}

// queries are those of opencode and Crush. Crush has times in seconds, in some versions in milliseconds.
var queries = []query{{
	`SELECT id, time_updated/1000 FROM session WHERE parent_id IS NULL`,
	`SELECT json_object('info', json_object('id', id, 'title', title)) FROM session WHERE id = ?`,
	`SELECT json_object('info', json(iif(json_valid(m.data), m.data, '{"role":"user"}')), 'parts', json((
		SELECT json_group_array(json(iif(json_valid(p.data), p.data, '{"type":"damaged"}')) ORDER BY p.id) FROM part p WHERE p.message_id = m.id)))
	FROM message m WHERE m.session_id = ? ORDER BY m.time_created, m.id`,
}, {
	`SELECT id, updated_at/iif(updated_at > 1e11, 1000, 1) FROM sessions WHERE parent_session_id IS NULL`,
	`SELECT json_object('meta', json_object('id', id, 'uuid', id, 'title', title)) FROM sessions WHERE id = ?`,
	`SELECT json_object('role', role, 'model', model, 'created', strftime('%FT%TZ', created_at/iif(created_at > 1e11, 1000, 1), 'unixepoch'),
		'parts', json(iif(json_valid(CAST(parts AS TEXT)), CAST(parts AS TEXT), '[{"type":"damaged"}]')))
	FROM messages WHERE session_id = ? ORDER BY created_at, rowid`,
}}

func isDatabase(file string) bool {
	var head [16]byte
	st, err := os.Stat(file)
	if err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == "SQLite format 3\x00"
}

// openStore opens a database for reading, and calls use with the queries of its client.
func openStore(ctx context.Context, file string, use func(*sqlite3.Conn, query) error) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	mode := "mode=ro"
	if st, err := os.Stat(path + "-wal"); err != nil || st.Size() == 0 {
		mode += "&immutable=1" // so that no files appear beside it
	}
	db, err := sqlite3.OpenFlags("file:"+(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()+"?"+mode, sqlite3.OPEN_READONLY|sqlite3.OPEN_URI)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	db.SetInterrupt(ctx)
	db.Limit(sqlite3.LIMIT_LENGTH, maxValue)
	if _, err := db.Config(sqlite3.DBCONFIG_TRUSTED_SCHEMA, false); err != nil {
		return err
	}
	for _, q := range queries {
		if s, _, wrong := db.Prepare(q.sessions); wrong == nil {
			return errors.Join(s.Close(), use(db, q))
		} else if !errors.Is(wrong, sqlite3.ERROR) { // ERROR: there is no such table
			return wrong
		}
	}
	return errors.New("it is a database that neither opencode nor Crush wrote")
}

// eachRow calls visit with each row of a query about one session, or about all.
func eachRow(db *sqlite3.Conn, text, session string, visit func(*sqlite3.Stmt) error) error {
	s, _, err := db.Prepare(text)
	if err != nil {
		return err
	}
	defer s.Close()
	if s.BindCount() > 0 {
		err = s.BindText(1, session)
	}
	for err == nil && s.Step() {
		err = visit(s)
	}
	return errors.Join(err, s.Err())
}

// storedSessions lists the sessions in a database as FILE#ID, and sets when they were changed.
func storedSessions(ctx context.Context, file string, changed map[string]time.Time) (names []string, err error) {
	err = openStore(ctx, file, func(db *sqlite3.Conn, q query) error {
		return eachRow(db, q.sessions, "", func(s *sqlite3.Stmt) error {
			name := file + "#" + s.ColumnText(0)
			names, changed[name] = append(names, name), time.Unix(s.ColumnInt64(1), 0)
			return nil
		})
	})
	return names, err
}

func writeStored(ctx context.Context, w io.Writer, file, session string) error {
	return openStore(ctx, file, func(db *sqlite3.Conn, q query) error {
		head := ""
		err := eachRow(db, q.head, session, func(s *sqlite3.Stmt) error { head = s.ColumnText(0); return nil })
		if head == "" {
			return errors.Join(err, errors.New("it has no such session"))
		}
		return writeExport(w, head, func(add func(message string) error) error {
			return eachRow(db, q.messages, session, func(s *sqlite3.Stmt) error { return add(s.ColumnText(0)) })
		})
	})
}

// writeExport adds messages to the object head, and writes it.
func writeExport(w io.Writer, head string, messages func(add func(message string) error) error) error {
	_, err := io.WriteString(w, strings.TrimSuffix(head, "}")+`,"messages":[`)
	comma := ""
	if err == nil {
		err = messages(func(message string) error {
			_, err := io.WriteString(w, comma+message)
			comma = ","
			return err
		})
	}
	_, last := io.WriteString(w, "]}")
	return errors.Join(err, last)
}

// storeOf returns the folder STORE of STORE/session/PROJECT/SESSION.json, "" for any other file.
func storeOf(file string) string {
	sessions := filepath.Dir(filepath.Dir(file))
	store := filepath.Dir(sessions)
	if st, err := os.Stat(filepath.Join(store, "message")); err == nil && st.IsDir() && filepath.Base(sessions) == "session" {
		return store
	}
	return ""
}

// writeFiles writes a session of opencode whose messages and parts are the files STORE/message/SESSION/MESSAGE.json and
// STORE/part/MESSAGE/PART.json, in the order of their names.
func writeFiles(w io.Writer, store, file string) error {
	read := func(file string) string {
		if f, err := os.Open(file); err == nil {
			defer f.Close()
			if data, _ := io.ReadAll(io.LimitReader(f, maxValue)); json.Valid(data) { // not if the limit cut the file
				return string(data)
			}
		}
		return `{"role":"user","type":"damaged"}`
	}
	list := func(kind, of string) []string {
		below := filepath.Join(store, kind, strings.TrimSuffix(filepath.Base(of), ".json"))
		entries, _ := os.ReadDir(below) // none on an error
		var files []string
		for _, e := range entries {
			files = append(files, filepath.Join(below, e.Name()))
		}
		return files
	}
	return writeExport(w, `{"info":`+read(file)+"}", func(add func(message string) error) error {
		for _, m := range list("message", file) {
			var parts []string
			for _, p := range list("part", m) {
				parts = append(parts, read(p))
			}
			if err := add(`{"info":` + read(m) + `,"parts":[` + strings.Join(parts, ",") + "]}"); err != nil {
				return err
			}
		}
		return nil
	})
}

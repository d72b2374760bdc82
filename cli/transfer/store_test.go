package transfer

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation/foreign"
)

// The samples in testdata were made with opencode 1.18 (opencode.db, whose second session is in the write-ahead log only) and 1.0
// (storage), both on a scripted model; crush.db by the statements and types in Crush's source. The expected numbers were counted
// with sqlite3 and grep.

// copied copies files of testdata, so that SQLite can put files beside them, and returns the path of the first.
func copied(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, files[0])
}

func TestSessionsInStoresAreReadWhole(t *testing.T) {
	t.Parallel()
	twoFiles := map[string]int{"user": 2, "assistant": 3, "tool": 2, "reasoning": 1, "call read": 1, "call bash": 1, "result read ok": 1, "result bash ok": 1}
	opencode := copied(t, "opencode.db", "opencode.db-wal")
	for path, want := range map[string]map[string]int{
		opencode + "#ses_dde085e75ffeS4GfX9sad8bv1j":                          twoFiles,
		opencode + "#ses_dde07b8ccffe5XlEWb06Jt9cEK":                          {"user": 1, "assistant": 2, "tool": 1, "call read": 1, "result read error": 1},
		"testdata/storage/session/global/ses_dde05f185ffedXEgoe6WS2mMQS.json": twoFiles,
		copied(t, "crush.db") + "#0b7c54de-0000-4000-8000-000000000001": {"user": 1, "assistant": 2, "tool": 2, "reasoning": 1, "call view": 1, "call bash": 1,
			"result view ok": 1, "result bash error": 1},
	} {
		in, err := Open(t.Context(), nil, path)
		if err != nil {
			t.Fatal(err)
		}
		s, problems, err := ReadRecording(in)
		in.Close()
		if err != nil || problems != nil || s.Document.Meta.Model != "fake-model" || s.Document.Meta.Title != "Reading two files" {
			t.Errorf("%s: %v, %v, %+v", path, err, problems, s.Document.Meta)
		}
		got := map[string]int{}
		for _, m := range s.Document.Messages {
			got[string(m.Role)]++
			for _, c := range m.Reply.Calls {
				got["call "+c.Name]++
			}
			if m.Reply.Reasoning != "" {
				got["reasoning"]++
			}
			if m.Result.CallID != "" {
				got["result "+m.Result.Tool+" "+string(m.Result.Status)]++
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestDatabasesOfOthersAreErrors(t *testing.T) {
	t.Parallel()
	other := copied(t, "crush.db")
	data, _ := os.ReadFile(other)
	_ = os.WriteFile(other, bytes.ReplaceAll(data, []byte("parent_session_id"), []byte("absent_session_id")), 0o600)
	if _, err := Files(t.Context(), other); err == nil || err.Error() != "it is a database that neither opencode nor Crush wrote" {
		t.Error(err)
	}
	files, err := Files(t.Context(), copied(t, "opencode.db", "opencode.db-wal"))
	if err != nil || len(files) != 2 || filepath.Base(files[0]) != "opencode.db#ses_dde07b8ccffe5XlEWb06Jt9cEK" {
		t.Errorf("the newest first, please: %q, %v", files, err)
	}
}

// FuzzStore changes bytes of a database: reading it ends, with an error or with a session.
func FuzzStore(f *testing.F) {
	whole, err := os.ReadFile("testdata/crush.db")
	if err != nil {
		f.Fatal(err)
	}
	for _, at := range []int{16, 20, 56, 100, 103, 108, 140, 1024, 1027, 5 << 10, 9<<10 + 200} {
		f.Add(at, []byte{0xff, 0xff}, len(whole))
		f.Add(at, []byte{0}, len(whole)-at)
	}
	f.Fuzz(func(t *testing.T, at int, change []byte, length int) {
		data := slices.Clone(whole)
		copy(data[min(max(at, 0), len(data)):], change)
		file := filepath.Join(t.TempDir(), "crush.db")
		if err := os.WriteFile(file, data[:min(max(length, 0), len(data))], 0o600); err != nil {
			t.Fatal(err)
		}
		files, err := Files(t.Context(), file)
		for i := 0; err == nil && i < len(files); i++ {
			var text bytes.Buffer
			if writeStored(t.Context(), &text, file, files[i][len(file)+1:]) == nil {
				_, _ = foreign.Read(foreign.Crush, &text) // it ends
			}
		}
	})
}

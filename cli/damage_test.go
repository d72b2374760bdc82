package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command that reads a damaged conversation reports the damage on standard error. Its output is correct.
func TestEveryCommandReportsAFlippedBit(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"print"}, {"print", "--json"}, {"export"}, {"context"}, {"ask", "--demo", "-c", "and on"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			d := newCommandLine(t)
			d.mustRun(`{"role":"user","content":"when does the ferry leave?"}`+"\n"+`{"role":"assistant","content":"At noon."}`+"\n", "import", "-")
			files, err := filepath.Glob(filepath.Join(d.dir, ".local", "share", "plimsoll", "conversations", "*.db"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			sound := bytes.Clone(data)
			at := bytes.LastIndex(data, []byte("At noon."))
			data[at] ^= 2
			if err := os.WriteFile(files[0], data, 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, errs := d.run(t.Context(), strings.NewReader(""), args...)
			if code != 0 || strings.Count(errs, "corrected while reading") != 1 {
				t.Errorf("exit code %d, standard error: %s", code, errs)
			}
			if args[0] == "ask" {
				return
			}
			if err := os.WriteFile(files[0], sound, 0o600); err != nil {
				t.Fatal(err)
			}
			if want := d.mustRun("", args...); out != want {
				t.Errorf("it writes\n%s\nof the sound conversation\n%s", out, want)
			}
		})
	}
}

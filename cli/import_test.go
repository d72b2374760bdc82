package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/cli"
	"plimsoll/cli/console"
	"plimsoll/conversation"
)

// commandLine runs commands in a data directory.
type commandLine struct {
	t   *testing.T
	dir string
}

func newCommandLine(t *testing.T) commandLine { return commandLine{t, t.TempDir()} }

func (d commandLine) run(ctx context.Context, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	d.t.Helper()
	variables := map[string]string{"HOME": d.dir, "PLIMSOLL_NO_PROBE": "1"}
	var out, errs bytes.Buffer
	code = cli.Run(ctx, console.Env{Args: args, Dir: d.dir, Stdin: stdin, Stdout: &out, Stderr: &errs, Version: "test",
		Lookup: func(name string) (string, bool) { v, ok := variables[name]; return v, ok }})
	return code, out.String(), errs.String()
}

// mustRun runs a command that must succeed and write nothing to standard error.
func (d commandLine) mustRun(stdin string, args ...string) string {
	d.t.Helper()
	code, out, errs := d.run(d.t.Context(), strings.NewReader(stdin), args...)
	if code != 0 || errs != "" {
		d.t.Fatalf("%v: exit code %d: %s", args, code, errs)
	}
	return out
}

// messagesOf returns the messages of JSONL: role, text, reasoning, calls, and the call that a result answers.
func messagesOf(t *testing.T, lines string) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(lines) {
		var m struct {
			Meta      json.RawMessage `json:"meta"`
			Role      string          `json:"role"`
			Content   *string         `json:"content"`
			Reasoning string          `json:"reasoning_content"`
			Calls     []any           `json:"tool_calls"`
			CallID    string          `json:"tool_call_id"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if m.Meta != nil && m.Role == "" {
			continue
		}
		if m.Content == nil {
			m.Content = new(string)
		}
		out = append(out, fmt.Sprintf("%s %q %q %v %s", m.Role, *m.Content, m.Reasoning, m.Calls, m.CallID))
	}
	return out
}

func TestLongResultsAreCutAndStoredInFull(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t)
	long := strings.Repeat("lorem ipsum ", 4000)
	file := `{"role":"user","content":"read it"}
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{}"}}]}
{"role":"tool","content":"` + long + `","tool_call_id":"c1","name":"read_file"}
`
	id := strings.TrimSpace(d.mustRun(file, "import", "-"))
	cut, _ := conversation.ArrivalCap{Chars: conversation.ResultMaxChars, DescribesRest: true}.Apply(long, "e3")
	printed := d.mustRun("", "print", id, "--json")
	if !strings.Contains(printed, `"x_state":"capped"`) || !strings.Contains(messagesOf(t, printed)[2], fmt.Sprintf("%q", cut)) {
		t.Errorf("the result is not shown cut")
	}
	if md := d.mustRun("", "export", id); !strings.Contains(md, strings.TrimSpace(long)) {
		t.Errorf("the Markdown does not hold the full text")
	}
	if diff := cmp.Diff(messagesOf(t, file), messagesOf(t, d.mustRun("", "export", id, "--format", "jsonl"))); diff != "" {
		t.Errorf("JSONL (-file +export):\n%s", diff)
	}
	document := d.mustRun("", "export", id, "--format", "json")
	other := newCommandLine(t)
	copied := strings.TrimSpace(other.mustRun(document, "import", "-"))
	again := other.mustRun("", "export", copied, "--format", "json")
	if diff := cmp.Diff(document, strings.Replace(again, copied, id, 1)); diff != "" {
		t.Errorf("the document (-before +after):\n%s", diff)
	}
	// FEAT-011 does not store what it cuts.
	one := strings.TrimSpace(other.mustRun(file, "import", "-", "--cfg", "compaction.preset=oneclaw"))
	if got := other.mustRun("", "export", one, "--format", "json"); strings.Contains(got, long) ||
		!strings.Contains(got, `\n\n[... content truncated, showing first 30000 characters of 48000 total ...]"`) {
		t.Errorf("under oneclaw the export has %d characters", len(got))
	}
}

func TestAnInterruptedImportStoresNothing(t *testing.T) {
	t.Parallel()
	d := newCommandLine(t)
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	go func() {
		_, _ = io.WriteString(w, "{\"role\":\"user\",\"content\":\"half\"}\n") // the reader may have stopped
		cancel()
	}()
	if code, out, _ := d.run(ctx, r, "import", "-"); code != 130 || out != "" {
		t.Errorf("exit code %d, output %q", code, out)
	}
	if got := d.mustRun("", "list", "--json"); strings.TrimSpace(got) != "[]" {
		t.Errorf("there is %s", got)
	}
}

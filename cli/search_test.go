package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/cli/console"
	"plimsoll/cli/screen"
	"plimsoll/cli/setup"
	"plimsoll/conversation"
	"plimsoll/conversation/find"
	"plimsoll/tui"
)

func storeMessages(t *testing.T, a *app, id string, texts ...string) {
	t.Helper()
	var bodies []conversation.Body
	for _, text := range texts {
		bodies = append(bodies, conversation.UserMessage{Text: text})
	}
	storeConversation(t, a, id, bodies...)
}

func storeConversation(t *testing.T, a *app, id string, bodies ...conversation.Body) {
	t.Helper()
	var l conversation.Log
	storeLog(t, a, id, l.Prepare(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC), bodies...))
}

func TestTheScreenSearchesAllConversations(t *testing.T) {
	t.Parallel()
	a := bareApp(t)
	defer a.Resources.Close()
	storeMessages(t, a, "aaaabbbbcccc", "Where does the heron nest?", "and the bittern")
	h := screen.NewHost(a.Agents, screen.ChatOptions{})
	defer h.Close()
	found, err := h.Search(t.Context(), "HERON nest")
	if err != nil {
		t.Fatal(err)
	}
	want := tui.Found{Query: "HERON nest", Conversations: 1, Hits: []find.Hit{{
		Conversation: "aaaabbbbcccc", Title: "Where does the heron nest?", Event: 1, Time: time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC),
		Who: "user", Excerpt: "Where does the heron nest?", At: find.Span{Start: 15, End: 25},
	}}}
	if d := cmp.Diff(want, found, cmpopts.IgnoreFields(tui.Found{}, "Took")); d != "" || found.Took <= 0 {
		t.Errorf("took %v (-want +got)\n%s", found.Took, d)
	}
	if _, err := h.Search(t.Context(), `""`); err == nil {
		t.Error("a query before any search")
	}
}

// interrupted is an output stream that interrupts the program after the first line.
type interrupted struct {
	bytes.Buffer
	interrupt context.CancelFunc
}

func (i *interrupted) Write(p []byte) (int, error) {
	i.interrupt()
	return i.Buffer.Write(p)
}

func TestInterruptingASearchKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	a := bareApp(t)
	for n := range 5 {
		storeMessages(t, a, fmt.Sprintf("%caaaaaaaaaaa", 'a'+n), "heron", "heron")
	}
	if err := a.Resources.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	out, errs := &interrupted{interrupt: cancel}, &bytes.Buffer{}
	env := a.Console.Env
	env.Args, env.Stdin, env.Stdout, env.Stderr = []string{"search", "heron", "--data", a.Settings.Flags.Data}, strings.NewReader(""), out, errs
	if code := Run(ctx, env); code != console.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if got := strings.Count(out.String(), "\n"); got != 2 || errs.Len() > 0 {
		t.Errorf("it wrote %q, and %q", out.String(), errs.String())
	}
}

func TestAHitOnATerminalIsOneLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := newApp(console.Env{Stdout: &out}, setup.Flags{})
	hit := find.Hit{Event: 41, Turn: 3, Who: "run_command", Stored: true, Excerpt: "漢字 and\x1b[31m more"}
	for _, limit := range []int{0, 60, 20} {
		if err := (&searchCommand{app: a}).writeLine(limit, hitText(hit)); err != nil {
			t.Fatal(err)
		}
	}
	want := "  turn 3 · e41 · run_command (full text)  漢字 and␛[31m more\n" +
		"  turn 3 · e41 · run_command (full text)  漢字 and␛[31m more\n" +
		"  turn 3 · e41 · ru…\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

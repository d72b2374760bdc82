package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"plimsoll/tools/shell"
)

func TestShellShowsWhatTheUsersCommandPrinted(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"echo a; echo b >&2":               "a\nb",
		"printf 'x\\n\\n'; exit 3":         "x\n(exit code 3)",
		"exit 3":                           "(exit code 3)",
		"printf '\\033[31mred\\033[0m\\n'": "red",
		"sleep 100 & echo x":               "x\n(what it left running was ended)",
		"true":                             "",
		"cat":                              "", // there is no input
		"exec 2>/dev/null; exec 3</dev/tty && echo a terminal || echo none": "none",
	} {
		if got, err := shell.Run(t.Context(), t.TempDir(), command); got != want || err != nil {
			t.Errorf("%s: %q, %v", command, got, err)
		}
	}
}

func TestShellKeepsAnEndlessCommandWithinBounds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	got, err := shell.Run(ctx, t.TempDir(), "yes & yes")
	if err != nil || len(got) > 2<<20 || !strings.HasSuffix(got, "(ended, because it took too long)") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	if _, err := shell.Run(cancelled, t.TempDir(), "sleep 100 & sleep 100"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

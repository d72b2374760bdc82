package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
)

// The pages are those of cobra's generator, which would cost every start of the program.
func TestManualPagesAreThoseOfCobra(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	pages := 0
	var compare func(c *cobra.Command)
	compare = func(c *cobra.Command) {
		got := manPage(c, "Plimsoll v1", day)
		var want bytes.Buffer
		c.DisableAutoGenTag = true
		header := &doc.GenManHeader{Title: strings.ToUpper(dashed(c.CommandPath())), Section: "1", Date: &day, Source: "Plimsoll v1", Manual: "Plimsoll"}
		if err := doc.GenMan(c, header, &want); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.String(), string(got)); d != "" {
			t.Errorf("%s (-cobra +ours):\n%s", c.CommandPath(), d)
		}
		pages++
		for _, sub := range c.Commands() {
			compare(sub)
		}
	}
	root := newApp(console.Env{}, setup.Flags{}).rootCommand()
	root.InitDefaultCompletionCmd()
	compare(root)
	if pages < 24 {
		t.Errorf("only %d pages were compared", pages)
	}
}

func TestManualPageKeepsWhatManReadsAsItsOwn(t *testing.T) {
	t.Parallel()
	if got, want := inline("a\\b `c`\n.de\n'f"), "a\\eb \\fBc\\fR\n\\&.de\n\\&'f"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

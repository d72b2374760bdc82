package cli

import (
	"bytes"
	"strings"
	"testing"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
)

func TestDeleteNeedsAYes(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"y\n": true, "YES\n": true, "n\n": false, "\n": false, "": false, "delete\n": false} {
		var asked bytes.Buffer
		cmd := &deleteCommand{app: newApp(console.Env{Stdin: strings.NewReader(answer), Stderr: &asked}, setup.Flags{})}
		err := cmd.confirm(t.Context(), `Delete abcd22223333, "hi", permanently?`)
		if (err == nil) != want || err != nil && console.ExitCode(err) != 1 {
			t.Errorf("%q: %v", answer, err)
		}
		if !strings.Contains(asked.String(), "permanently? [y/N]") {
			t.Errorf("asked %q", asked.String())
		}
	}
}

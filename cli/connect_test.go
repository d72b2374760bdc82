package cli

import (
	"strings"
	"testing"

	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"

	"plimsoll/agent/demo"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
)

// The gauge and the server use the configured window.
func TestTheDemoModelHasTheConfiguredWindow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags setup.Flags
		want  meter.Window
	}{
		"by a flag":            {setup.Flags{Window: 14000}, meter.Window{Tokens: 14000, Source: meter.WindowFlag}},
		"in the configuration": {setup.Flags{Set: []string{"context.window=12000"}}, meter.Window{Tokens: 12000, Source: meter.WindowConfig}},
		"nowhere":              {setup.Flags{}, meter.Window{Tokens: demo.DefaultWindow, Source: meter.WindowServer}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.flags.Data = t.TempDir()
			a := newApp(console.Env{Lookup: func(string) (string, bool) { return "", false }, Dir: t.TempDir()}, c.flags)
			if err := a.Settings.Configure(); err != nil {
				t.Fatal(err)
			}
			conn, err := a.Models.ConnectDemo(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := a.Resources.Close(); err != nil {
					t.Error(err)
				}
			})
			if conn.Model.Window != c.want {
				t.Errorf("the gauge is of %+v, want %+v", conn.Model.Window, c.want)
			}
			if err := sendTo(t, conn, strings.Repeat("word ", c.want.Tokens)); err == nil || err.Class != llm.Overflow || err.Window != c.want.Tokens {
				t.Errorf("a prompt above the window failed with %+v", err)
			}
			if err := sendTo(t, conn, strings.Repeat("word ", c.want.Tokens/2)); err != nil {
				t.Errorf("a prompt below the window failed with %+v", err)
			}
		})
	}
}

// sendTo sends a text and returns the error, or nil.
func sendTo(t *testing.T, conn setup.Connection, text string) *llm.Error {
	t.Helper()
	r := llm.Request{Model: conn.Model.ID, Messages: []projection.Message{{Role: projection.RoleUser, Text: text}}}
	for _, err := range conn.Provider.Stream(t.Context(), r) {
		if err != nil {
			return llm.AsError(err)
		}
	}
	return nil
}

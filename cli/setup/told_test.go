package setup

import (
	"path/filepath"
	"testing"
	"time"

	"plimsoll/agent/openai"
)

func TestTwoProgramsKeepWhatBothWereTold(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "endpoints.json")
	one, other := &Told{path: path}, &Told{path: path}
	one.Of("a", "m") // both have read the file
	other.Of("a", "m")
	if err := one.Say("a", "m", 4096); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Take("b", time.Now(), []openai.Listed{{ID: "n", Window: 8192, Chat: true}}); err != nil {
		t.Fatal(err)
	}
	if err := one.Say("a", "o", 0); err != nil {
		t.Fatal(err)
	}
	again := &Told{path: path}
	if tokens, asked := again.Window("a", "m"); tokens != 4096 || !asked {
		t.Errorf("of m is kept %d, asked %v", tokens, asked)
	}
	if tokens, asked := again.Window("a", "o"); tokens != 0 || !asked {
		t.Errorf("of o is kept %d, asked %v", tokens, asked)
	}
	if tells, _ := again.Of("b", "n"); tells.Window != 8192 {
		t.Errorf("of n is kept %+v", tells)
	}
	if _, asked := again.Window("b", "n"); asked {
		t.Error("nobody was asked about n")
	}
}

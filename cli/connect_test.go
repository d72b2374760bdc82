package cli

import (
	"testing"

	"plimsoll/agent/demo"
)

func TestTheDemoModelTakesItsTimeOnlyForReaders(t *testing.T) {
	t.Parallel()
	if got := demoPace(true); got != 0 {
		t.Errorf("where nobody reads it writes %d tokens a second", got)
	}
	if got := demoPace(false); got != demo.DefaultPace {
		t.Errorf("to a reader it writes %d tokens a second", got)
	}
}

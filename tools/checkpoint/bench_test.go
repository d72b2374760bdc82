package checkpoint_test

import (
	"context"
	"testing"

	"plimsoll/tools/checkpoint"
	"plimsoll/tools/workspace"
)

// BenchmarkCommandInAWorkTree measures what looking at this repository before and after a command takes (budget 100 ms, half of it before the command starts).
func BenchmarkCommandInAWorkTree(b *testing.B) {
	files, err := workspace.Open("../..")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = files.Close() }()
	k := &checkpoint.Keeper{Store: checkpoint.NewStore(b.TempDir())}
	for b.Loop() {
		k.BeforeCommand(context.Background(), files)(context.Background())
	}
}

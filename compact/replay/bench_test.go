package replay_test

import (
	"fmt"
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
)

// What has to stay cheap.

// BenchmarkRawOfManySteps sends a conversation of 5,000 steps, 10 MB, with nothing
// hidden, twice. A request costs as much as it holds.
func BenchmarkRawOfManySteps(b *testing.B) {
	one := (&builder{}).user("You must look at all of it.")
	for i := range 5000 {
		one.call("read", fmt.Sprintf(`{"path":"/home/somebody/project/part%d/file_%d.go"}`, i%300, i),
			fmt.Sprintf("next /home/somebody/project/part%d/file_%d.go\n", (i+1)%300, i+1)+text(2000))
	}
	one.reply("done")
	source := loaded(one.conversation())
	o := replay.Options{Policies: []preset.Name{preset.Raw}, Workers: 1} // no window: truncate sends everything, too
	for b.Loop() {
		if _, err := replay.Run(b.Context(), []replay.Source{source}, o); err != nil {
			b.Fatal(err)
		}
	}
}

package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
)

// What has to stay cheap.

// BenchmarkFinderSharedPrefixes looks for 20,000 paths below one folder in a text
// that names each of them.
func BenchmarkFinderSharedPrefixes(b *testing.B) {
	needles := make([]string, 20_000)
	for i := range needles {
		needles[i] = fmt.Sprintf("/home/somebody/src/project/internal/part%05d/file_%d.go", i, i*7)
	}
	text := strings.Join(needles, "\nopened ")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if got := len(replay.Found(needles, text)); got != len(needles) {
			b.Fatalf("%d of %d are found", got, len(needles))
		}
	}
}

// BenchmarkRawOfManySteps sends a conversation of 5,000 steps, 10 MB, with nothing
// hidden, twice. A request costs as much as it holds.
func BenchmarkRawOfManySteps(b *testing.B) {
	one := (&tale{}).user("You must look at all of it.")
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

package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/replay"
	"plimsoll/conversation"
)

// What has to stay cheap, measured on one core of 2 GHz.

// BenchmarkFinderSharedPrefixes looks for 20,000 paths below one folder in a text
// that names each of them: about 7 ms, 5 ns for a byte. It grows with the text,
// and with the number of paths as its logarithm does.
func BenchmarkFinderSharedPrefixes(b *testing.B) {
	needles := make([]string, 20_000)
	for i := range needles {
		needles[i] = fmt.Sprintf("/home/somebody/src/project/internal/part%05d/file_%d.go", i, i*7)
	}
	text := strings.Join(needles, "\nopened ")
	find := replay.Finder(needles)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if got := len(find(text)); got != len(needles) {
			b.Fatalf("%d of %d are found", got, len(needles))
		}
	}
}

// BenchmarkFinderManyShort looks for 20,000 numbers in a text of a megabyte: about
// 5 ms.
func BenchmarkFinderManyShort(b *testing.B) {
	needles := make([]string, 20_000)
	for i := range needles {
		needles[i] = fmt.Sprint(10_000 + i)
	}
	text := strings.Repeat("the quick brown fox jumps over 12345 lazy dogs. ", 20_000)
	find := replay.Finder(needles)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		find(text)
	}
}

// BenchmarkRawOfManySteps sends a conversation of 5,000 steps, 10 MB, with nothing
// hidden, twice: about 200 ms, a third of which is looking for what it needs. It grows as
// the conversation does: a request costs what is new in it.
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

// BenchmarkRecallFromABlock asks 1,000 times for something lost that a block with
// 2,000 ids stands for: about 100 ms. The block is read once.
func BenchmarkRecallFromABlock(b *testing.B) {
	const results = 2000
	one := (&tale{}).user("go")
	for i := range results {
		one.call("read", `{}`, fmt.Sprintf("file_%d.go and more of it", i))
	}
	for i := range 1000 {
		one.call("read", `{}`, "x").reply(fmt.Sprintf("as file_%d.go says", i))
	}
	source := loaded(one.conversation())
	var appendix strings.Builder
	for i := range results {
		fmt.Fprintf(&appendix, "- a result (e%d)\n", 2*i+3)
	}
	hidden := func(s replay.Setting) replay.Policy {
		p := once(results, conversation.Summary{Style: conversation.StylePlimsoll, Version: projection.BlockVersion, Text: "It went well.",
			Appendix: appendix.String(), Spans: []conversation.Span{{First: 2, Last: 2*results + 1}}})(s)
		p.Recall = true
		return p
	}
	o := replay.Options{Policies: []preset.Name{}, Own: own(hidden), Workers: 1}
	for b.Loop() {
		r, err := replay.Run(b.Context(), []replay.Source{source}, o)
		if err != nil {
			b.Fatal(err)
		}
		if f := r.Totals[preset.Plimsoll]; f.RecallTool != 0 || f.Recoverable != 1 {
			b.Fatalf("recall %v, recoverable %v", f.RecallTool, f.Recoverable)
		}
	}
}

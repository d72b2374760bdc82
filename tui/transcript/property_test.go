package transcript_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/themes"
)

// alphabet holds texts that break layouts and terminals.
var alphabet = []string{
	"a", "word ", " ", "\n", "\n\n", "\t", "漢", "かな", "한글", "👨‍👩‍👧‍👦", "👍🏽", "🇩🇪", "❤️", "e\u0301", "\u0301", "\u200d", "क्षि", "ตัวอย่าง", "العربية", "ﷺ",
	"\u202e", "\u2066", "\u200b", "\u061c", "\x1b[31m", "\x1b[2J", "\x1b]0;title\x07", "\x1b]52;c;ZXZpbA==\x07", "\x1b]8;;http://x\x1b\\", "\x1bPq\x1b\\", "\x1b", "\x1bc",
	"\u009b1m", "\u009d0;x\u009c", "\x9b31m", "\x90", "\x00", "\x07", "\x08", "\x7f", "\r", "\r\n", "\xff", "\xe2\x82", "\u2028", "\ufeff",
	"z" + strings.Repeat("\u0301", 40), "# ", "* ", "1. ", "▌ ", "```\n", "```go\n", "|a|b|\n|-|-|\n", "**", "`", "[x](http://y)", "<b>", "@@ ", "+", "-", "--- ", strings.Repeat("long", 30),
}

func randomText(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range rng.IntN(n) {
		b.WriteString(strings.Repeat(alphabet[rng.IntN(len(alphabet))], 1+rng.IntN(3)))
	}
	return b.String()
}

// hostileBody returns a random body with noise in all of its texts.
func hostileBody(rng *rand.Rand) conversation.Body {
	stops := []conversation.StopReason{conversation.StopEnd, conversation.StopCalls, conversation.StopLength, conversation.StopFailed, conversation.StopCancelled, "?"}
	statuses := []conversation.ResultStatus{conversation.ResultOK, conversation.ResultError, conversation.ResultDenied, conversation.ResultInterrupted, "?"}
	id := func() string { return string(rune('a' + rng.IntN(6))) }
	switch rng.IntN(9) {
	case 0:
		return conversation.UserMessage{Text: randomText(rng, 80)}
	case 1, 2:
		m := conversation.AssistantMessage{Text: randomText(rng, 60), Reasoning: randomText(rng, 30), Error: randomText(rng, 10), Stop: stops[rng.IntN(len(stops))]}
		for range rng.IntN(3) {
			m.Calls = append(m.Calls, call(id(), randomText(rng, 6), `{"path":"`+randomText(rng, 8)+`"}`))
		}
		return m
	case 3, 4:
		r := result(id(), statuses[rng.IntN(len(statuses))], randomText(rng, 60))
		if rng.IntN(3) == 0 {
			r.Detail = randomText(rng, 40)
		}
		return r
	case 5:
		return conversation.Notice{Level: conversation.NoticeWarning, Text: randomText(rng, 20)}
	case 6:
		origin := conversation.Origin{Epoch: uint64(rng.IntN(4)), Before: rng.IntN(100_000), After: rng.IntN(100_000), Why: randomText(rng, 8)}
		return conversation.Mask{Origin: origin, Items: make([]conversation.MaskItem, rng.IntN(3))}
	case 7:
		return conversation.Revert{Origin: conversation.Origin{Epoch: 4 + uint64(rng.IntN(4))}, Epoch: uint64(rng.IntN(8)), Redoes: uint64(rng.IntN(4))}
	}
	return conversation.ModelChanged{Provider: randomText(rng, 4), Model: randomText(rng, 4)}
}

// randomAction applies a random action of a user or an agent.
func randomAction(rng *rand.Rand, r *rig) {
	id := string(rune('a' + rng.IntN(6)))
	switch rng.IntN(20) {
	case 0, 1:
		r.SetSize(1+rng.IntN(250), rng.IntN(60))
	case 2, 3:
		r.ScrollBy(rng.IntN(21) - 10)
	case 4:
		r.PageBy(rng.IntN(5) - 2)
	case 5:
		r.ToTop()
	case 6:
		r.ToEnd()
	case 7:
		r.ToggleExpanded()
	case 8, 9, 10, 11:
		r.Delta(randomText(rng, 20), randomText(rng, 4))
	case 12:
		r.Discard()
	case 13:
		r.ToolStarted(id, randomText(rng, 5))
	case 14:
		r.ToolOutput(id, randomText(rng, 30))
	case 15:
		r.Press(rng.IntN(200), rng.IntN(60))
		r.Drag(rng.IntN(200)-5, rng.IntN(80)-10)
	case 16:
		r.Release()
	case 17:
		r.ShowError(randomText(rng, 8), randomText(rng, 4))
	case 18:
		r.SetFrame(rng.IntN(100))
	default:
		r.add(hostileBody(rng))
	}
}

// After any sequence of actions the view has its height, no line is too wide,
// and SGR is the only control sequence.
func TestViewHasItsSizeAndNoHarmfulSequences(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	for range 25 {
		width, height := 20+rng.IntN(230), 1+rng.IntN(60)
		r := openTranscript(t, width, height)
		for range 40 {
			randomAction(rng, r)
			if r.Height() > 0 {
				wantValidView(t, r.View(), r.width(), r.Height())
			}
		}
	}
}

func TestCachedLinesAreNotStale(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 10))
	for range 15 {
		r := openTranscript(t, 60, 20)
		for range 30 {
			randomAction(rng, r)
			r.View()
		}
		r.ClearSelection()
		r.SetSize(60, 20)
		r.ToEnd()
		before := r.View()
		r.SetStyles(themeStyles(t, themes.PlimsollDark))
		if d := cmp.Diff(before, r.View()); d != "" {
			t.Fatal(d)
		}
	}
}

func TestRandomLogsAreShown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		events := rapid.OneOf(rapid.Custom(conversationtest.Log), rapid.Custom(conversationtest.Malformed)).Draw(rt, "log")
		width, height := rapid.IntRange(20, 250).Draw(rt, "width"), rapid.IntRange(1, 60).Draw(rt, "height")
		r := openTranscript(t, width, height)
		r.Reset(events)
		wantValidView(t, r.View(), width, height)
		inPieces := openTranscript(t, width, height)
		for piece := range slices.Chunk(events, rapid.IntRange(1, 5).Draw(rt, "piece")) {
			inPieces.Append(piece)
			inPieces.View()
		}
		if d := cmp.Diff(r.View(), inPieces.View()); d != "" {
			rt.Fatalf("a log that arrived in pieces is drawn differently: %s", d)
		}
		r.ToggleExpanded()
		wantValidView(t, r.View(), width, height)
		r.PageBy(-1)
		r.ToTop()
		wantValidView(t, r.View(), width, height)
	})
}

// After scrolling up, the top line never changes while text is added below.
func TestTopLineStaysWhileTextIsAdded(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 12))
	for range 15 {
		r := openTranscript(t, 20+rng.IntN(100), 5+rng.IntN(20), turns(20)...)
		for range 10 {
			r.add(hostileBody(rng))
		}
		for range 10 {
			r.ScrollBy(-1 - rng.IntN(15))
			if r.Following() {
				continue
			}
			top := r.lines()[0]
			for range 10 {
				if rng.IntN(2) == 0 {
					r.Delta(randomText(rng, 20), randomText(rng, 4))
				} else {
					r.add(user(randomText(rng, 20)))
				}
				if now := r.lines()[0]; now != top {
					t.Fatalf("the top line changed from %q to %q", top, now)
				}
			}
		}
	}
}

// Texts of a megabyte on one line are drawn quickly and correctly.
func TestHugeTexts(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 1<<18)
	words := strings.Repeat("word 漢字 ", 1<<15)
	for _, bodies := range [][]conversation.Body{
		{user(line), user(words)},
		{calls(call("1", line, `{"path":"`+line+`"}`)), result("1", conversation.ResultError, line), result("1", conversation.ResultError, words)},
		{conversation.AssistantMessage{Text: "ok", Reasoning: line, Stop: conversation.StopEnd}, reply(line)},
		{conversation.ToolResult{CallID: "1", Tool: "modify_file", Status: conversation.ResultOK, Detail: "@@ -1 +1 @@\n+" + line}},
	} {
		r := openTranscript(t, 80, 24, bodies...)
		wantValidView(t, r.View(), 80, 24)
		r.ToggleExpanded()
		wantValidView(t, r.View(), 80, 24)
		r.ScrollBy(-1000)
		wantValidView(t, r.View(), 80, 24)
	}
}

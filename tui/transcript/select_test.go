package transcript_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

const all = 1 << 20 // further right than any line

func TestCopiesCleanText(t *testing.T) {
	t.Parallel()
	prose := "The test shares a **port** between runs, which `TIME_WAIT` keeps from being bound again, and so the second run fails; well-known since 1981."
	for name, c := range map[string]struct {
		body conversation.Body
		want string
	}{
		"wrapped prose":     {reply(prose), strings.NewReplacer("*", "", "`", "").Replace(prose)},
		"paragraphs":        {reply("first paragraph\n\nsecond one"), "first paragraph\n\nsecond one"},
		"hard line breaks":  {user("one\ntwo\n\nthree"), "one\ntwo\n\nthree"},
		"a wrapped message": {user("a message of the user that is far too long for one line of the screen"), "a message of the user that is far too long for one line of the screen"},
		"a long word":       {user("see https://example.org/a/very/long/address/that/does/not/fit/anywhere now"), "see https://example.org/a/very/long/address/that/does/not/fit/anywhere now"},
		"no blanks":         {reply("漢字かな交じり文も折り返される。漢字かな交じり文も折り返される。終"), "漢字かな交じり文も折り返される。漢字かな交じり文も折り返される。終"},
		"a list":            {reply("1. an item that is long enough to be wrapped\n2. another"), "1. an item that is long enough to be wrapped\n2. another"},
		"code":              {reply("```\nif x {\n    return the_longest_name_that_fits\n}\n```"), "if x {\n    return the_longest_name_that_fits\n}"},
		"a full line of code": {reply("```\n" + strings.Repeat("x", 36) + "\n" + strings.Repeat("y", 36) + "\n```"),
			strings.Repeat("x", 36) + "\n" + strings.Repeat("y", 36)},
		"a wrapped quote":   {reply("> First commit the rows and then encode what is left, then remove them all."), "First commit the rows and then encode what is left, then remove them all."},
		"a quote in quotes": {reply("> > Each of the rows is committed before it is encoded"), "Each of the rows is committed before it is encoded"},
		"a quote in a list": {reply("- so\n  > it says that rows are committed first"), "• so\nit says that rows are committed first"},
		"code in a quote":   {reply("> ```\n> if x {\n>   y()\n> }\n> ```"), "if x {\n  y()\n}"},
		"indented twice":    {reply("- one\n  - two, which is long enough to be wrapped"), "• one\n  • two, which is long enough to be wrapped"},
		"a notice":          {conversation.Notice{Level: conversation.NoticeInfo, Text: "something that is worth keeping in the log"}, "something that is worth keeping in the log"},
		"tables":            {reply("|a|b|\n|-|-|\n|one|two|\n|three|four|"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := openTranscript(t, 40, 20, c.body)
			got := r.drag(0, 0, all, 19)
			if name == "tables" {
				if n := strings.Count(got, "\n"); n != 3 {
					t.Errorf("a table of 4 lines has %d: %q", n+1, got)
				}
				return
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s\nof\n%s", d, r.screen())
			}
		})
	}
}

func TestCopiesPartsOfLines(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 40, 10, user("one two three"), reply("漢字とemoji 👍🏽 end"))
	for _, c := range []struct {
		x1, y1, x2, y2 int
		want           string
	}{
		{3, 0, 5, 0, "one"},
		{5, 0, 3, 0, "one"},             // dragged to the left
		{0, 0, 5, 0, "one"},             // the mark is no text
		{7, 0, 3, 2, "two three\n\n漢字"}, // a wide character is taken whole
		{2, 2, 2, 2, ""},                // no drag at all
		{2, 2, 3, 2, "漢字"},
		{14, 2, 13, 2, "👍🏽"},
		{16, 2, all, 9, "end"}, // into the emptiness below
		{30, 0, 39, 0, ""},     // behind the text
	} {
		if got := r.drag(c.x1, c.y1, c.x2, c.y2); got != c.want {
			t.Errorf("from %d,%d to %d,%d: %q, want %q in\n%s", c.x1, c.y1, c.x2, c.y2, got, c.want, r.screen())
		}
	}
}

func TestARowOfATreeIsCopiedWithItsLines(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 40, 20, reply("```\n.\n│   ├── a.go\n│   └── b.go\n```"))
	y := slices.IndexFunc(strings.Split(r.screen(), "\n"), func(l string) bool { return strings.Contains(l, "a.go") })
	if got, want := r.drag(0, y, all, y), "│   ├── a.go"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheViewDoesNotMoveWhileAButtonIsDown(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 60, 10, turns(20)...)
	y := r.row("question 19")
	r.Press(1, y)
	r.Drag(20, y)
	before := ansi.Strip(r.View())
	r.Delta(strings.Repeat("a reply\n\n", 30), "")
	if d := cmp.Diff(before, ansi.Strip(r.View())); d != "" {
		t.Errorf("the view moved: %s", d)
	}
	if got := r.Release().Text; got != "question 19" {
		t.Errorf("copied %q", got)
	}
	r.View()
	if !r.Following() || r.row("a reply") < 0 {
		t.Error("the end is not followed after the release")
	}
}

func TestAClickUnfoldsOneCall(t *testing.T) {
	t.Parallel()
	r := openTranscript(t, 60, 12, turns(10)...)
	r.add(user("go"), calls(call("1", "one", "{}"), call("2", "two", "{}")),
		result("1", conversation.ResultOK, strings.Repeat("first\n", 20)), result("2", conversation.ResultOK, "second"))
	y := r.row("one")
	r.Press(5, y)
	if got := r.Release().Text; got != "" {
		t.Errorf("a click copies %q", got)
	}
	r.wantText(t, "first")
	r.wantNoText(t, "second")
	if now := r.row("▾ one"); now != y {
		t.Errorf("the clicked call moved from row %d to %d", y, now)
	}
	r.Press(5, y)
	r.Release()
	r.wantNoText(t, "first")
	if !r.Following() {
		t.Error("with all in view again, the end is not followed")
	}
	before := r.View()
	r.Press(5, 0) // not a call
	r.Release()
	r.Press(5, y-1) // the line before it
	r.Release()
	r.Press(5, 500)
	r.Release()
	r.Press(5, -1)
	r.Release()
	if d := cmp.Diff(before, r.View()); d != "" {
		t.Error(d)
	}
}

package replay_test

import (
	"strings"
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
)

// sentUnder is what the last request has under a client's rule, and how many summaries were asked for.
func sentUnder(t *testing.T, name preset.Name, window int, b *builder) (text string, f replay.Figures) {
	t.Helper()
	for _, c := range replay.Clients() {
		if c.Name != name {
			continue
		}
		p := c.Policy()
		maker := p.Maker
		p.Maker = func(s replay.PolicySetting) replay.Policy {
			policy := maker(s)
			decide := policy.Decide
			policy.Decide = func(in replay.PolicyInput) (replay.Decision, error) {
				d, err := decide(in)
				if after := in.With(d.Overlays...); !in.TurnEnd {
					text = ""
					for _, m := range after.View.Messages {
						text += m.Text + "\n"
					}
				}
				return d, err
			}
			return policy
		}
		r := run(t, replay.Options{Window: window, Policies: []preset.Name{name}, ExtraPolicies: []replay.NamedPolicy{p}}, b)
		return text, r.Totals[name]
	}
	t.Fatalf("no client %q", name)
	return "", replay.Figures{}
}

// readingTurns is turns that each read a file of 4,000 tokens.
func readingTurns(turns int) *builder {
	b := (&builder{}).user("You must keep order.")
	for i := range turns {
		name := string(rune('a' + i))
		b.call("read_file", `{"path":"src/`+name+`.go"}`, "file "+name+" "+text(16_000)).reply("Read " + name + ".").user("On with " + name + ".")
	}
	return b.reply("done")
}

func TestRulesOfOtherClients(t *testing.T) {
	t.Parallel()
	for name, c := range map[preset.Name]struct {
		window, turns   int
		shown, replaced string // files in the last request, and files that are not
		summaries       int
	}{
		"sum-2k":    {20_000, 4, "d", "abc", 1},
		"sum-files": {36_000, 7, "defg", "", 1},
		"sum-words": {20_000, 4, "d", "abc", 1},
		"prune-old": {128_000, 18, "jqr", "abcd", 0},
		"clear-old": {200_000, 26, "xyz", "abt", 0},
	} {
		got, f := sentUnder(t, name, c.window, readingTurns(c.turns))
		for _, file := range c.shown {
			if !strings.Contains(got, "file "+string(file)+" x x") {
				t.Errorf("%s: file %c is out of view", name, file)
			}
		}
		for _, file := range c.replaced {
			if strings.Contains(got, "file "+string(file)+" "+text(200)) {
				t.Errorf("%s: file %c is in view", name, file)
			}
		}
		if f.Summaries != c.summaries || f.Violations != 0 {
			t.Errorf("%s: %d summaries, %d violations", name, f.Summaries, f.Violations)
		}
		if kept := strings.Contains(got, "On with a."); name == "sum-words" && !kept {
			t.Errorf("%s: the user's text is gone", name)
		}
	}
}

// What fits is sent as it is.
func TestClientsLeaveShortConversationsAlone(t *testing.T) {
	t.Parallel()
	for _, c := range replay.Clients() {
		if _, f := sentUnder(t, c.Name, 128_000, readingTurns(3)); f.Summaries != 0 || f.PrefixBreaks != 0 || f.CostRatio[replay.DefaultPlanSheet] != 1 {
			t.Errorf("%s: %+v", c.Name, f)
		}
	}
}

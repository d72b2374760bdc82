package edit_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// What is summarised already is summarised again from what was said, and judged
// by that: the view alone must not grow.

// heavyAgain works a heavy compaction out.
func heavyAgain(t *testing.T, l *compacttest.Tale, p preset.Name, focus string, keep int) (edit.Proposal, error) {
	t.Helper()
	r := preset.RulesOf(p)
	r.KeepLast = keep
	w := edit.NewRequest()
	w.Profile, w.Focus = preset.ProfileHeavy, focus
	v := projection.Project(l.Events())
	m := meter.New(compacttest.Window(100_000)).WithView(v)
	return edit.NewProposal(l.Events(), r, edit.Inputs{Meter: m, Now: compacttest.Noon, Cold: true}, w)
}

// withSummary takes a summary of so many tokens for a pass and appends it.
func withSummary(t *testing.T, l *compacttest.Tale, pass edit.Proposal, tokens int) *compacttest.Tale {
	t.Helper()
	if err := pass.Accept(writing("Port %d is free. ", tokens)); err != nil {
		t.Fatal(err)
	}
	return l.Add(pass.Bodies(uint64(l.Log.Len() + 1))...)
}

// writing is an answer of so many estimated tokens.
func writing(line string, tokens int) summary.Answer {
	var b strings.Builder
	for n := 0; meter.Estimate(conversation.Measure(b.String())) < float64(tokens)-4; n++ {
		fmt.Fprintf(&b, line, n)
	}
	return summary.Answer{Text: b.String(), Stop: conversation.StopEnd, Model: "test/m"}
}

// asked is the length that a job's instructions name, in tokens.
func asked(t *testing.T, job *summary.Job) int {
	t.Helper()
	found := regexp.MustCompile(`Use at most (\d+) tokens`).FindStringSubmatch(job.System)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1]) // by the pattern
	return n
}

func TestASummaryOverASummaryIsJudgedByWhatWasSaid(t *testing.T) {
	t.Parallel()
	for _, p := range []preset.Name{preset.Plimsoll, preset.JPHeavy, preset.OneClaw, preset.JCLI} {
		for name, grow := range map[string]int{"another focus": 0, "a range that grew by a turn": 1} {
			l := (&compacttest.Tale{}).Talks(4) // 20,000 tokens
			first, err := heavyAgain(t, l, p, "", 1)
			if err != nil {
				t.Fatal(err)
			}
			withSummary(t, l, first, 800)
			for range grow {
				l.Says(10).Answers(40)
			}
			pass, err := heavyAgain(t, l, p, "the ports", 1)
			if err != nil {
				t.Fatalf("%s, %s: %v", p, name, err)
			}
			if n := pass.Job.CoveredTokens; n < 14_000 {
				t.Errorf("%s, %s: %d tokens are counted as what it stands for", p, name, n)
			}
			if n, was := asked(t, pass.Job), asked(t, first.Job); n > 0 && (grow == 0 && n != was || n < 400 || n > was) {
				t.Errorf("%s, %s: %d tokens are asked for, at first %d", p, name, n, was)
			}
			most := pass.Preview().Summary.Estimate
			if again, stood := pass, most-1200*grow; grow == 0 {
				if most < 950 || most > 1050 {
					t.Errorf("%s: %d tokens are taken in place of 800", p, most)
				}
				if err := again.Accept(writing("Gate %d is open. ", stood-20)); err != nil {
					t.Errorf("%s: almost a quarter longer, it is refused: %v", p, err)
				}
				same := pass
				if err := same.Accept(writing("Port %d is free. ", 800)); err != nil {
					t.Errorf("%s: word for word the same, it is refused: %v", p, err)
				}
			}
			tooLong, then := pass, pass
			if err := tooLong.Accept(writing("Gate %d is open. ", most+60)); !errors.Is(err, summary.ErrLong) {
				t.Errorf("%s, %s: with 60 tokens more than %d: %v", p, name, most, err)
			}
			if err := then.Accept(writing("Gate %d is open. ", 700)); err != nil {
				t.Errorf("%s, %s: %v", p, name, err)
			} else if preview := then.Preview(); preview.After >= preview.Before {
				t.Errorf("%s, %s: the view grows from %d to %d", p, name, preview.Before, preview.After)
			} else if l := preview.Layers; len(l) != 1 || l[0].Saved < preview.Before-preview.After-2 || l[0].Saved > preview.Before-preview.After+2 {
				t.Errorf("%s, %s: %d tokens less, in layers %+v", p, name, preview.Before-preview.After, l)
			}
			if as := pass; as.Accept(writing("Gate %d is free. ", 800)) != nil {
				t.Errorf("%s, %s: as long as the first one, it is refused", p, name)
			}
		}
	}
}

func TestNobodyIsAskedForASummaryThatCannotBeTaken(t *testing.T) {
	t.Parallel()
	for _, p := range []preset.Name{preset.Plimsoll, preset.JPHeavy, preset.OneClaw, preset.JCLI} {
		l := (&compacttest.Tale{}).Says(10).Answers(990).Says(10).Answers(990).Says(10).Answers(990)
		first, err := heavyAgain(t, l, p, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		withSummary(t, l, first, 12)
		if _, err := heavyAgain(t, l, p, "the ports", 1); !errors.Is(err, edit.ErrNothingToGain) {
			t.Errorf("%s: a dozen tokens stand there, and a model is asked for less: %v", p, err)
		}
		if _, err := heavyAgain(t, (&compacttest.Tale{}).User("Hi.").Reply("Hello."), p, "", 0); !errors.Is(err, edit.ErrNothingToGain) {
			t.Errorf("%s: a summary of two words: %v", p, err)
		}
	}
}

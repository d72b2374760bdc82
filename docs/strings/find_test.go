package main

import (
	"regexp"
	"strings"
	"testing"
)

// house are words that no text for users has. American English has another spelling, or a newcomer would have to ask.
var house = map[string]string{
	`(?i)\bcolour(s|ed)?\b`: "color",
	`(?i)\b(summari|optimi|recogni|organi|normali|initiali)s(e|ed|es|ing|er)\b`: "-ize",
	`(?i)\b(behaviour|favourite|neighbour|honour)s?\b`:                          "-or",
	`(?i)\bcatalogues?\b`:                            "catalog",
	`(?i)\bcancell(ed|ing)\b`:                        "canceled",
	`(?i)\b(centre|licence|grey|analyse)\b`:          "center, license, gray, analyze",
	`(?i)\btak(e|es|en|ing)( \S+){0,3} back\b`:       "undo",
	`(?i)\b(bring|brings|brought)( \S+){0,3} back\b`: "redo, return",
	`(?i)\bby itself\b`:                              "automatically",
	`(?i)\bcame to nothing\b`:                        "failed",
	`(?i)\bas it was said\b|\bwhat was said\b`:       "in full, the original",
	`(?i)\bin force\b`:                               "active",
	`(?i)\banew\b`:                                   "again",
	`(?i)\bfor good\b`:                               "permanently",
	`(?i)\bnobody\b`:                                 "say what is missing",
	`(?i)\bnot at hand\b`:                            "not available",
	`(?i)\bis none\b`:                                "there is no",
	`(?i)\b(overlay|epoch|deed|wish|heed)s?\b`:       "words of the inside",
}

// allowed are files that may break a rule: the words of JSON that scripts rely on, texts of the demo model, and the system
// prompt, which a model reads.
var allowed = []string{"agent/demo/", "cli/session/instructions.go:", "cli/models.go:", "cli/print.go:", "compact/inspect/ledger.go:"}

func TestTextsHaveNoWordsOfTheHouse(t *testing.T) {
	t.Parallel()
	found, err := Find("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 1000 {
		t.Errorf("only %d texts were found", len(found))
	}
	for pattern, better := range house {
		re := regexp.MustCompile(pattern)
		for _, x := range found {
			if hit := re.FindString(x.Text); hit != "" && !excused(x) {
				t.Errorf("%s:%d says %q (better: %s):\n%s", x.File, x.Line, hit, better, x.Text)
			}
		}
	}
}

// excused tells whether a text may have words of the house.
func excused(x Text) bool {
	for _, a := range allowed {
		if strings.HasPrefix(x.File+":", a) {
			return true
		}
	}
	return false
}

func TestTextsAreFoundWhereTheyStand(t *testing.T) {
	t.Parallel()
	found, err := Find("testdata/tree")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range found {
		got = append(got, x.Text)
	}
	want := "Keep this.|not found: …|Save|two words"
	if strings.Join(got, "|") != want {
		t.Errorf("found %q, want %q", strings.Join(got, "|"), want)
	}
}

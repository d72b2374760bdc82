// The thresholds that docs/compaction.md and docs/replay.md name are those of the program. Rules:
//
//   - A key that is told with a value in brackets has that default, and every key of the planner is told so.
//   - A number without a key stands here beside the constant that it is.

package main_test

import (
	"fmt"
	"go/ast"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plimsoll/compact"
	"plimsoll/config"
)

// flowing is a document without its line breaks.
func flowing(t *testing.T, name string) string {
	t.Helper()
	return strings.Join(strings.Fields(read(t, name)), " ")
}

func TestDocumentsTellTheThresholdsOfThePlanner(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(read(t, compactionPage), "\n## How Plimsoll decides\n")
	text, _, _ = strings.Cut(text, "\n## ")
	text = strings.Join(strings.Fields(text), " ")
	defaults := map[string]string{}
	rules := reflect.ValueOf(compact.PresetRules(compact.PresetPlimsoll))
	keysOfCompaction(reflect.TypeFor[config.Compaction](), "compaction", "", func(key, section, field string) {
		table := rules
		if section != "" {
			table = rules.FieldByName(section)
		}
		if v := table.FieldByName(or(renamed[field], field)); v.IsValid() {
			defaults[strings.TrimPrefix(key, "compaction.")] = valueText(v)
			if section == "Evict" && v.IsZero() {
				defaults[strings.TrimPrefix(key, "compaction.")] = config.AutoShare.String()
			}
		}
	})
	told := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z_.]+)` \\(([^)]*)\\)").FindAllStringSubmatch(text, -1) {
		told[m[1]] = true
		if want, ok := defaults[m[1]]; !ok || want != m[2] {
			t.Errorf("%s tells %s as %s; it is %q", compactionPage, m[1], m[2], want)
		}
	}
	for _, m := range regexp.MustCompile("`((?:[a-z]+_[a-z_]+|[a-z]+\\.[a-z_]+))`").FindAllStringSubmatch(text, -1) {
		if _, ok := defaults[m[1]]; !ok {
			t.Errorf("%s names %s, which is no key below compaction", compactionPage, m[1])
		}
	}
	if len(told) < 25 {
		t.Errorf("only %d defaults were found in %s: this test cannot read it", len(told), compactionPage)
	}
	elsewhere := []string{"auto.background", "default_profile", "keep_last"} // what is done by hand, or not at all
	for key := range defaults {
		section, _, _ := strings.Cut(key, ".")
		if !slices.Contains([]string{"micro", "dedupe", "summary", "preset", "profiles"}, section) && !slices.Contains(elsewhere, key) && !told[key] {
			t.Errorf("%s does not tell the default of %s", compactionPage, key)
		}
	}
}

// valueText is a value as a document tells it.
func valueText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Int:
		return commas(int(v.Int()))
	case reflect.String:
		return strconv.Quote(v.String())
	}
	return fmt.Sprint(v.Interface())
}

// commas is a number with its thousands apart.
func commas(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func TestDocumentsTellTheConstantsOfTheProgram(t *testing.T) {
	t.Parallel()
	literals := literalsOf(t)
	for _, c := range []struct{ page, says, name, value string }{
		{compactionPage, "30 % of what is covered", "compact.summaryAimShare", "0.30"},
		{compactionPage, "no less than 300 and no more than 4,000 tokens", "compact.summaryLeast", "300"},
		{compactionPage, "no more than 4,000 tokens", "compact.summaryAim", "4000"},
		{compactionPage, "at most 2 % of the window (`compaction.planner.summary_ratio`)", "compact.planSummary", "0.02"},
		{compactionPage, "at most a fifth as long as what is covered", "compact.appendixShare", "0.2"},
		{compactionPage, "more than an eighth of the window", "compact.promptShare", "0.125"},
		{compactionPage, "it stands at 95 % of that size", "compact.priceStepRatio", "0.95"},
		{compactionPage, "if it is long (over 2,000 tokens)", "compact.firstTextTokens", "2000"},
		{compactionPage, "does, but for the newest three", "compact.ladderResults", "3"},
		{compactionPage, "4,000 characters of each, then 1,000", "compact.capChars", "4000 1000"},
		{compactionPage, "above 0.75 of the window and", "compact.d17TriggerRatio", "0.75"},
		{compactionPage, "in conversations of more than five turns", "compact.d17MinTurns", "5"},
		{compactionPage, "the newest quarter of the window", "compact.DefaultProtectedRatio", "0.25"},
		{compactionPage, "above 204,800 tokens everything", "compact.jclTokenThreshold", "256 800"},
		{compactionPage, "left out, down to half the window |", "compact.TruncateShare", "0.5"},
		{replayPage, "divided by four, not rounded", "compact.CharsPerToken", "4.0"},
		{replayPage, "has 4,000 tokens for system prompt and tools", "replay.Overhead", "4000"},
		{replayPage, "of 6 to 120 characters", "replay.identifierLeast", "6"},
		{replayPage, "of 6 to 120 characters", "replay.identifierMost", "120"},
		{replayPage, "have at least 13 characters", "replay.lineLeast", "13"},
		{replayPage, "in whole steps of 128 tokens", "replay.cacheStep", "128"},
		{replayPage, "if it is at least 1,024", "replay.cacheLeast", "1024"},
		{replayPage, "it then leaves out the oldest units until half the window is used", "compact.TruncateShare", "0.5"},
		{replayPage, "five minutes where writing costs 1.25 times the input", "agent.shortWrite", "1.25"},
		{replayPage, "five minutes where writing costs", "agent.shortLifetime", "5"},
		{replayPage, "thirty for such models of OpenAI", "agent.openaiLifetime", "30"},
		{replayPage, "`oneclaw` results are cut at 30,000 characters", "conversation.ResultMaxChars", "30000"},
		{replayPage, "the threshold of its source, 204,800 tokens", "compact.jclTokenThreshold", "256 800"},
	} {
		if !strings.Contains(flowing(t, c.page), c.says) {
			t.Errorf("%s no longer says %q", c.page, c.says)
		}
		if got := literals[c.name]; got != c.value {
			t.Errorf("%s says %q, but %s is %q, not %q", c.page, c.says, c.name, got, c.value)
		}
	}
}

const replayPage = "docs/replay.md"

// literalsOf gives the numbers in the values of all constants and variables of packages, by package.Name.
func literalsOf(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				values, ok := spec.(*ast.ValueSpec)
				if !ok || len(values.Names) != len(values.Values) {
					continue
				}
				for i, name := range values.Names {
					found[s.file.Name.Name+"."+name.Name] = numbersIn(values.Values[i])
				}
			}
		}
	}
	return found
}

// numbersIn is the numbers of an expression, in their order.
func numbersIn(x ast.Expr) string {
	var out []string
	ast.Inspect(x, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok {
			out = append(out, strings.ReplaceAll(lit.Value, "_", ""))
		}
		return true
	})
	return strings.Join(out, " ")
}

// The thresholds that docs/compaction-reference.md and docs/replay.md name are those of the program. Rules:
//
//   - A key that is told with a value in brackets has that default.
//   - Figures without a key have a mark behind them; docs_figures_test.go reads it.

package main_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"plimsoll/compact/preset"
	"plimsoll/config"
)

func TestDocumentsTellTheThresholdsOfThePlanner(t *testing.T) {
	t.Parallel()
	_, text, _ := strings.Cut(read(t, compactionPage), "\n## How Plimsoll decides\n")
	text, _, _ = strings.Cut(text, "\n## ")
	text = strings.Join(strings.Fields(text), " ")
	defaults := map[string]string{}
	rules := reflect.ValueOf(preset.RulesOf(preset.Plimsoll))
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
	if len(told) < 15 {
		t.Errorf("only %d defaults were found in %s: this test cannot read it", len(told), compactionPage)
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

package measure

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
)

// What --set takes: a key, and values to try. A value is one of the
// configuration; several have commas between, and A..B:STEP is a range of numbers
// with both ends. Commas within brackets and quotes belong to a value.

// VariantsMost is how many variants one replay takes.
const VariantsMost = 64

// Trial is a key of --set, and the values to try.
type Trial struct {
	Key    string
	Values []string
}

// ParseTrials reads the values of --set.
func ParseTrials(texts []string) ([]Trial, error) {
	var all []Trial
	total := 1
	for _, text := range texts {
		key, spec, ok := strings.Cut(text, "=")
		key = strings.TrimSpace(key)
		switch {
		case !ok || key == "":
			return nil, console.WrongUse("--set %s is no setting; write --set KEY=VALUE, such as --set compaction.trigger_ratio=0.7,0.8", text)
		case slices.ContainsFunc(all, func(c Trial) bool { return c.Key == key }):
			return nil, console.WrongUse("--set has %s twice; write its values with commas between", key)
		}
		values, err := ParseValues(spec)
		switch {
		case errors.Is(err, errTooMany):
			return nil, console.AsUsage(err)
		case err != nil:
			return nil, console.AsUsage(console.WithHint(fmt.Errorf("--set %s: %w", key, err), setup.HintOf(err)))
		}
		all = append(all, Trial{key, values})
		if total *= len(values); total > VariantsMost {
			return nil, console.AsUsage(errTooMany)
		}
	}
	return all, nil
}

var errTooMany = console.WithHint(fmt.Errorf("--set asks for more than %d variants, the most that one replay takes", VariantsMost),
	"every combination of all values is one: leave some values out, or replay them one part after the other")

// ParseValues lists the values that the text behind the = stands for.
func ParseValues(spec string) ([]string, error) {
	var out []string
	for _, text := range atCommas(spec) {
		values, err := rangeOf(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out, nil
}

// atCommas parts a text at the commas outside of brackets and quotes.
func atCommas(text string) []string {
	var out []string
	depth, quote, from := 0, byte(0), 0
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote && (c == '\'' || text[i-1] != '\\') {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			out = append(out, text[from:i])
			from = i + 1
		}
	}
	return append(out, text[from:])
}

// rangeForm is a range of numbers; the step may be missing, which is told.
var rangeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-?[0-9][0-9_]*(?:\.[0-9]+)?)\.\.(-?[0-9][0-9_]*(?:\.[0-9]+)?)(?::([0-9][0-9_]*(?:\.[0-9]+)?))?$`)
})

// rangeOf lists the numbers of a range, written with as many places as its
// longest number has; a text that is no range is one value.
func rangeOf(text string) ([]string, error) {
	parts := rangeForm().FindStringSubmatch(text)
	switch {
	case parts == nil:
		return []string{text}, nil
	case parts[3] == "":
		return nil, console.WithHint(errors.New("the range "+text+" has no step"), "write "+text+":STEP")
	}
	places := 0
	var numbers [3]*big.Rat
	for i, part := range parts[1:] {
		part = strings.ReplaceAll(part, "_", "")
		if _, behind, ok := strings.Cut(part, "."); ok {
			places = max(places, len(behind))
		}
		numbers[i], _ = new(big.Rat).SetString(part) // its form is checked
	}
	from, to, step := numbers[0], numbers[1], numbers[2]
	switch {
	case step.Sign() == 0:
		return nil, errors.New("the range " + text + " has a step of 0")
	case to.Cmp(from) < 0:
		return nil, console.WithHint(errors.New("the range "+text+" ends before it begins"), "write the smaller number first")
	}
	var out []string
	for n := from; n.Cmp(to) <= 0; n = new(big.Rat).Add(n, step) {
		if len(out) == VariantsMost {
			return nil, errTooMany
		}
		out = append(out, n.FloatString(places))
	}
	return out, nil
}

// Combinations is every combination of values, those of the last key changing
// first.
func Combinations(trials []Trial) [][]string {
	out := [][]string{nil}
	for _, c := range trials {
		var next [][]string
		for _, before := range out {
			for _, value := range c.Values {
				next = append(next, append(slices.Clone(before), c.Key+"="+value))
			}
		}
		out = next
	}
	return out
}

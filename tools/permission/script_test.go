package permission

import (
	"strings"
	"testing"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

func FuzzScript(f *testing.F) {
	for _, s := range []string{"git log", "a && b | c; d", "$(rm x)", "sudo rm -rf /", "bash -c 'rm x'", "a > b", "`x`", "eval \"$x\"", "x=1 y", "f() { x; }; f", "a &"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := parseScript(text, syntax.LangBash)
		if s.plain && len(s.calls) == 0 {
			t.Fatal("plain without a command")
		}
		if s.plain && len(s.nested) < len(s.calls) {
			t.Fatal("deny rules see less than allow rules")
		}
		call := Effect{Tool: "run_command", access: AccessCommand, script: s}
		rules := exactRules(call)
		if utf8.ValidString(text) && !allowScript(rules, call) && s.text != "" {
			t.Fatalf("the grant for %q does not cover it: %v", s.text, rules)
		}
		if len(rules) != 1 || !rules[0].exactly(s.text) && s.text != "" {
			t.Fatalf("%q is granted as %v", s.text, rules)
		}
	})
}

func FuzzMatchStar(f *testing.F) {
	f.Add("a*b", "axxb")
	f.Add(`\*`, "*")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if !strings.ContainsAny(pattern, `*\\`) && matchStar(pattern, text) != (pattern == text) {
			t.Fatalf("%q against %q", pattern, text)
		}
		if !matchStar(escapeStar(text), text) {
			t.Fatalf("%q does not match itself", text)
		}
		if !matchStar("*"+escapeStar(text)+"*", "x"+text+"y") {
			t.Fatalf("%q is not found inside", text)
		}
	})
}

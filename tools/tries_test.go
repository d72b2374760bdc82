package tools_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools"
)

// These tests try what an attacker who controls the model could run after a command was approved.

// twists turn an approved command (%s) into one that was not approved.
var twists = []string{
	"X=1 %s", "PATH=/tmp %s", "GIT_EXTERNAL_DIFF=evil %s", "LD_PRELOAD=./evil.so %s", "%s; rm x", "%s && curl evil.test", "%s || sh x", "%s | sh",
	"%s | tee .bashrc", "%s > .bashrc", "%s >> x", "%s 2> x", "%s >| x", "%s &> x", "%s < .env", "%s &", "%s $(evil)", "%s `evil`", "%s <(evil)", "%s >(evil)",
	"%s \"$(evil)\"", "%s $HOME", "sudo %s", "env %s", "nohup %s", "time %s", "exec %s", "command %s", "xargs %s", "cd /tmp && %s", "cd .. && %s", "cd ~ && %s",
	"pushd sub && %s", "export X=1; %s", "alias git=evil; %s", "set -x; %s", "source x && %s", ". ./x; %s", "eval '%s'", "bash -c '%s'", "(%s)", "{ %s; }", "! %s",
	"if true; then %s; fi", "%s\nrm x", "./%s", "/tmp/%s", "%s ; $X", "f() { evil; }; %s", "trap evil EXIT; %s", "cat .env | %s", "cd sub && evil && %s", "cd sub | cat ../x; %s", "cd sub || cat ../x; %s", "cd sub; cat ../x; %s", "cd d && cat b/../../x; %s", "cd sub | cat link; %s", "cd b | cat l*; %s", "coproc %s",
}

// A rule for exactly one command, or for its program with any arguments, does not allow commands
// that contain the approved command.
func TestNoTwistOfAnApprovedCommandRuns(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"git log --oneline -5", "head a.txt", "ls *.o", "make", "go test ./b", "sort a.txt | uniq -c", "echo \"a; b\""} {
		exact := boxWith(t, first, offered(t, triedBox(t), "run_command", command(first)))
		wide := boxWith(t, first, nil)
		for part := range strings.SplitSeq(first, " | ") {
			program := strings.Fields(part)[0]
			if err := wide.Allow(t.Context(), call(t, "run_command", command(program)), conversation.GrantRun, []string{"run_command(" + program + " *)"}); err != nil {
				t.Fatal(err)
			}
		}
		for _, twist := range twists {
			try := strings.ReplaceAll(twist, "%s", first)
			for what, b := range map[string]*tools.Box{"exactly": exact, "widely": wide} {
				if got := need(t, b, "run_command", command(try)); got != asks {
					t.Errorf("%q granted %s, %q: %s", first, what, try, got)
				}
			}
		}
	}
}

// triedFiles are the files of the workspace in these tests.
var triedFiles = map[string]string{
	"a.txt": "x", "b.txt": "x", "main.go": "package main", "b/b.go": "package b", "sub/x.txt": "x", "src/a.go": "package a", "tests/test_a.py": "", ".env": "K=1",
	"d/.env": "K=1", "k.pem": "x", "-o": "x", "x": "x", "evil_test.go": "package main", "s[1]/k.pem": "x",
}

func triedBox(t *testing.T) *tools.Box {
	t.Helper()
	b, dir := open(t, triedFiles)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(dir, "folder")); err != nil {
		t.Fatal(err)
	}
	return b
}

// boxWith returns a Box in which rules were granted for a command.
func boxWith(t *testing.T, first string, rules []string) *tools.Box {
	t.Helper()
	b := triedBox(t)
	if err := b.Allow(t.Context(), call(t, "run_command", command(first)), conversation.GrantRun, rules); err != nil {
		t.Fatalf("%q as %v: %v", first, rules, err)
	}
	if got := need(t, b, "run_command", command(first)); got != runs {
		t.Errorf("%q granted as %v: %s", first, rules, got)
	}
	return b
}

// triesIn reads a table with a command in each line, after the expected need. ⏎ is a line feed, «U+00A0» that code point.
func triesIn(t *testing.T, name string) []string {
	t.Helper()
	text := strings.ReplaceAll(strings.TrimSpace(read(t, filepath.Join("testdata", name))), "⏎", "\x00")
	text = regexp.MustCompile(`«U\+([0-9A-F]+)»`).ReplaceAllStringFunc(text, func(mark string) string {
		n, err := strconv.ParseUint(strings.Trim(mark, "«U+»"), 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		return string(rune(n))
	})
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return line == "" || strings.HasPrefix(line, "#") })
}

// tryAs reviews a command and checks that it "runs" or "asks", as want says.
func tryAs(t *testing.T, b *tools.Box, want, try string) {
	t.Helper()
	try = strings.ReplaceAll(try, "\x00", "\n")
	if got := need(t, b, "run_command", command(try)); got != map[string]conversation.Need{"asks": asks, "runs": runs}[want] {
		t.Errorf("%q: %s, want that it %s", try, got, want)
	}
}

// A rule for exactly one command allows no other command, even if they look alike.
func TestAnExactApprovalIsForNoOtherCommand(t *testing.T) {
	t.Parallel()
	boxes := map[string]*tools.Box{}
	for _, line := range triesIn(t, "followups.txt") {
		want, rest, _ := strings.Cut(line, " ")
		granted, try, ok := strings.Cut(rest, " -> ")
		if !ok {
			t.Fatalf("no try in %q", line)
		}
		if boxes[granted] == nil {
			first := strings.ReplaceAll(granted, "\x00", "\n")
			boxes[granted] = boxWith(t, first, offered(t, triedBox(t), "run_command", command(first)))
		}
		tryAs(t, boxes[granted], want, try)
	}
}

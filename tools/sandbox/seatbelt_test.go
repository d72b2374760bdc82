package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// allows decides as sandbox-exec does about an operation on a path: the last rule that covers both counts.
func allows(t *testing.T, profile, operation, path string) bool {
	t.Helper()
	verdict := false
	for text := range strings.SplitSeq(strings.TrimSpace(profile), "\n(") {
		rule := regexp.MustCompile(`(?s)^(allow|deny) ([a-z*\- ]+)(.*)\)$`).FindStringSubmatch(text)
		if rule == nil {
			if !strings.HasPrefix(text, "(version 1") {
				t.Errorf("this is no rule: %s", text)
			}
			continue
		}
		covers := false
		for op := range strings.FieldsSeq(rule[2]) {
			family, all := strings.CutSuffix(op, "*")
			covers = covers || op == operation || all && strings.HasPrefix(operation, family)
		}
		filters := regexp.MustCompile(`\((subpath|literal|regex) #?"((?:[^"\\]|\\.)*)"\)`).FindAllStringSubmatch(rule[3], -1)
		matches := len(filters) == 0 && strings.TrimSpace(rule[3]) == ""
		for _, f := range filters {
			want := strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(f[2])
			switch f[1] {
			case "subpath":
				matches = matches || below(path, want)
			case "literal":
				matches = matches || path == want
			case "regex":
				matches = matches || regexp.MustCompile(f[2]).MatchString(path)
			}
		}
		if covers && matches {
			verdict = rule[1] == "allow"
		}
	}
	return verdict
}

func TestSeatbeltProfile(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ws, temp := filepath.Join(home, `a "quoted" ws`), filepath.Join(home, "temp")
	for _, dir := range []string{ws + "/.git/hooks", temp, home + "/.ssh", home + "/.cargo/registry", ws + "/keys/deep", home + "/.cache", home + "/Documents"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c := Config{Workspace: ws, Home: home, Write: []string{"~/.cache"}, Secrets: []string{"keys/deep"}}
	profile := seatbelt(c.rulesFor(Workspace, temp), false, 4711)
	readOnly := seatbelt(c.rulesFor(ReadOnly, temp), true, 0)
	c.Read = []string{"~"}
	ofHome := seatbelt(c.rulesFor(Workspace, temp), false, 0)
	for _, q := range []struct {
		profile, operation, path string
		want                     bool
	}{
		{profile, "file-write-data", ws + "/a", true}, {profile, "file-write-data", temp + "/x", true}, {profile, "file-write-data", home + "/.cache/x", true},
		{profile, "file-read-data", ws + "/a", true}, {profile, "file-read-data", "/usr/bin/git", true}, {profile, "file-read-data", "/System/x", true},
		{profile, "file-write-data", "/dev/null", true}, {profile, "file-write-data", "/dev/disk0", false}, {profile, "process-exec", "/bin/sh", true},
		{profile, "file-write-data", home + "/x", false}, {profile, "file-write-data", "/etc/x", false}, {profile, "file-write-data", "/private/tmp/x", false},
		{profile, "file-write-data", ws + "/.git/hooks/pre-commit", false}, {profile, "file-write-create", ws + "/.git/config", false},
		{profile, "file-write-unlink", ws + "/.git", false}, {profile, "file-write-data", ws + "/.git/index", true}, {profile, "file-write-create", ws + "/.envrc", false},
		{profile, "file-write-create", ws + "/.git/modules/new/hooks/post-checkout", false}, {profile, "file-write-data", ws + "/.git/modules/new/HEAD", true},
		{profile, "file-read-data", home + "/.ssh/id", false}, {profile, "file-read-data", home + "/Documents/x", false}, {profile, "file-read-data", home + "/.cargo/registry/x", true},
		{profile, "file-read-data", ws + "/keys/deep/k", false}, {profile, "file-write-unlink", ws + "/keys", false}, {profile, "file-write-data", ws + "/keys/x", true},
		{profile, "network-outbound", "", false}, {profile, "network-bind", ws + "/sock", true}, {profile, "mach-lookup", "", false}, {profile, "appleevent-send", "", false},
		{readOnly, "file-write-data", ws + "/a", false}, {readOnly, "file-read-data", ws + "/a", true}, {readOnly, "file-write-data", temp + "/x", true}, {readOnly, "network-outbound", "", true},
		{ofHome, "file-read-data", home + "/Documents/x", true}, {ofHome, "file-read-data", home + "/.ssh/id", false}, {ofHome, "file-write-data", home + "/Documents/x", false},
	} {
		if got := allows(t, q.profile, q.operation, q.path); got != q.want {
			t.Errorf("%s %s: %v", q.operation, q.path, got)
		}
	}
	if !strings.Contains(profile, `(allow network-outbound (remote ip "localhost:4711"))`) || strings.Contains(ofHome, "remote ip") {
		t.Error("the port of the proxy is not the only one that is open")
	}
	if open, closed := strings.Count(profile, "("), strings.Count(profile, ")"); open-closed != strings.Count(profile, `\(`)-strings.Count(profile, `\)`) {
		t.Errorf("%d parentheses are opened, %d closed", open, closed)
	}
}

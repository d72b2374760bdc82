package harmless_test

import (
	"errors"
	"strings"
	"testing"

	"plimsoll/tools/harmless"
)

// dangers are options that run a program, write, reach another host or read a list
// of files, of any command. No entry takes one of them.
var dangers = strings.Fields(`-exec --exec -toolexec -execdir -ok -okdir -delete -fprint -fprintf -fprint0 -fls -vettool -C -overlay -modfile
-ldflags -gcflags -asmflags -pkgdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir -args -http
--output --output=x --ext-diff --textconv --filters --open-files-in-pager --upload-pack --receive-pack --show-signature --contents --no-index
--exclude-from --files0-from --compress-program --temporary-directory --random-source --pre --pre-glob --search-zip --hostname-bin 
--dereference-recursive --config --manifest-path --target-dir --script-shell --prefix --basetemp --rootdir --confcutdir --override-ini --junitxml
--pdb --pdbcls --import-mode --pyargs --filter --pager --use-compress-program --to-command --checkpoint-action --fromfile --magic-file --compile
--from-file --to-file --paginate --pid --fix --logfile -Z -w= --write --in-place --stdin --batch --pathspec-from-file --file --template --amend
--no-verify --delete --force --move --edit-description --config-env --work-tree --exec-path
--unknown-option -@`)

func TestNoEntryTakesADangerousOption(t *testing.T) {
	t.Parallel()
	inside := func(string) error { return nil }
	for _, name := range harmless.Names() {
		words := strings.Fields(name)
		e := harmless.Find(words)
		if e == nil || e.Name != name || e.Means == "" {
			t.Errorf("%s is not found by its name, or says nothing", name)
			continue
		}
		if name == "echo" || name == "true" || name == "false" { // take no options: everything is text
			continue
		}
		for _, option := range dangers {
			letters := !strings.HasPrefix(option, "--") // to most commands a cluster of options of one letter
			if letters && !strings.HasPrefix(name, "go") && name != "find" {
				continue
			}
			for _, args := range [][]string{{option}, {option, "x"}, {option + "=x"}, {"x", option}} {
				if err := e.Check(append(words, args...), inside); err == nil && (name != "tr" || option != "--delete") { // tr deletes characters of a text
					t.Errorf("%s %v passes", name, args)
				}
			}
		}
	}
}

// A value of its own word that begins with a dash would be an option to a program
// that took no value there.
func TestAValueIsNeverAnOption(t *testing.T) {
	t.Parallel()
	inside := func(string) error { return nil }
	for command, ok := range map[string]bool{
		"go test -run -exec":         false,
		"go test -run=-exec .":       true,
		"go test -run":               false,
		"sort -k -o":                 false,
		"sort -k1,1 x":               true,
		"git log -n --output=x":      false,
		"git log -n3":                true,
		"git log -n x":               false,
		"head -n 3 x":                true,
		"grep -e -z":                 false,
		"grep -e x y":                true,
		"grep -A3B2n x y":            false, // what is behind A is its number
		"grep -nA3 x y":              true,
		"git log --author -- -x":     false, // -- is the author, and -x an option
		"git log --author x -- -x":   true,
		"git log --stat -- -x":       true,
		"tree -I x .":                true,
		"tree -Ix .":                 false, // tree reads x as an option
		"pytest -k @x":               false,
		"go test ./.../../x":         false,
		"cargo test -p -Zx":          false,
		"cargo test -- --skip -Z":    false,
		"cargo test -- --skip x":     true,
		"pytest -k -p":               false,
		"git log -- --output=x":      true, // behind -- it is a name
		"sort -- -o":                 true,
		"cargo test -- -- --logfile": true, // and behind the second one
		"find . -name -exec":         true, // find takes the next word whatever it is
		"find . -name":               false,
		"uniq x y":                   false,
		"uniq x -c":                  false, // where options end at x, -c is written
		"uniq -c x":                  true,
	} {
		words := strings.Fields(command)
		if err := harmless.Find(words).Check(words, inside); (err == nil) != ok {
			t.Errorf("%s: %v", command, err)
		}
	}
}

func TestNamesOfFilesAreTheCallersToJudge(t *testing.T) {
	t.Parallel()
	refused := errors.New("not this one")
	var seen []string
	for command, want := range map[string]string{
		"cat a b":                  "a b",
		"grep x a":                 "a",
		"grep -e x a b":            "a b",
		"grep a b -e x":            "b x a",
		"head a -c x":              "a x",
		"head -c x a":              "a",
		"sort -k 2 a":              "a",
		"go test ./a ./b/... .":    "./a ./b .",
		"pytest a.py::b":           "a.py",
		"find a b -newer c -print": "a b c",
		"git log HEAD:a/b -- c":    "a/b HEAD:a/b c",
		"cat - a":                  "a",
		"echo a":                   "",
	} {
		words, got := strings.Fields(command), []string(nil)
		err := harmless.Find(words).Check(words, func(name string) error { got = append(got, name); return nil })
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: judged %q (%v), want %q", command, got, err, want)
		}
		if want == "" {
			continue
		}
		last := got[len(got)-1]
		if err := harmless.Find(words).Check(words, func(name string) error {
			seen = append(seen, name)
			if name == last {
				return refused
			}
			return nil
		}); !errors.Is(err, refused) {
			t.Errorf("%s passes although %s may not be read: %v", command, last, err)
		}
	}
}

func TestOnlyWholeNamesAreFound(t *testing.T) {
	t.Parallel()
	for _, words := range [][]string{nil, {""}, {"git"}, {"git log"}, {"go"}, {"/usr/bin/git", "log"}, {"git", "-c", "x", "log"}, {"gitlog"},
		{"python3.12", "-m", "pytest"}, {"make"}, {"npm", "test"}, {"sudo", "ls"}} {
		if e := harmless.Find(words); e != nil {
			t.Errorf("%q is %s", words, e.Name)
		}
	}
}

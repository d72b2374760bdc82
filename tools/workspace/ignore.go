package workspace

import (
	"io"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Ignore rules follow gitignore(5): the last matching rule decides, and "!" negates
// a rule. A pattern with a slash before its end is anchored at the folder of its
// file. A pattern that ends in a slash matches folders only.

const maxIgnoreFile = 1 << 20

type ignoreRule struct {
	base     string // folder of the ignore file, "." at the top
	pattern  string
	literal  bool // pattern has no wildcard
	anchored bool
	dirOnly  bool
	negated  bool
}

// ignoreRules returns the rules that apply in dir: those of its parents and its
// own. It does not change the parents' slice.
func (f *Files) ignoreRules(dir string, parents []ignoreRule) []ignoreRule {
	rules := parents[:len(parents):len(parents)]
	if dir == "." {
		rules = append(rules, f.ignoreFile(".", ".git/info/exclude")...)
	}
	return append(rules, f.ignoreFile(dir, path.Join(dir, ".gitignore"))...)
}

// ignoreFile reads one ignore file; a file that cannot be read has no rules.
func (f *Files) ignoreFile(base, rel string) []ignoreRule {
	file, _, err := f.Open(Path{Rel: rel, Name: rel})
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(file, maxIgnoreFile))
	_ = file.Close() // opened for reading
	if err != nil {
		return nil
	}
	var rules []ignoreRule
	for line := range strings.SplitSeq(string(text), "\n") {
		if r, ok := parseIgnore(base, line); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func parseIgnore(base, line string) (ignoreRule, bool) {
	line = strings.TrimSuffix(line, "\r")
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return ignoreRule{}, false
	}
	r := ignoreRule{base: base}
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	// doublestar reads braces as alternatives, git reads them literally.
	r.pattern = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
	r.literal = !strings.ContainsAny(line, `*?[\{}`)
	return r, r.pattern != "" && doublestar.ValidatePattern(r.pattern)
}

func ignored(rules []ignoreRule, rel string, dir bool) bool {
	for _, r := range slices.Backward(rules) {
		if r.matches(rel, dir) {
			return !r.negated
		}
	}
	return false
}

func (r ignoreRule) matches(rel string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	name := path.Base(rel)
	if r.anchored {
		rest, below := strings.CutPrefix(rel, r.base+"/")
		if !below && r.base != "." {
			return false
		}
		name = rest // all of rel at the top
	}
	if r.literal {
		return name == r.pattern
	}
	return doublestar.MatchUnvalidated(r.pattern, name)
}

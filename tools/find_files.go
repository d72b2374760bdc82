package tools

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/workspace"
)

// find_files finds files by a glob pattern. A pattern without a slash is matched
// against the file name, one with a slash against the path below the folder.

const (
	findDefault = 200
	findMax     = 2000
)

func (b *Box) findFiles() tool {
	return tool{
		name: "find_files", readOnly: true,
		about: "Find files of the workspace by name, such as *.go, src/**/*_test.go or {Makefile,*.mk}. " +
			"A pattern without / matches file names in every folder. Returns paths; leaves out what .gitignore says.",
		brief:    "Find files by glob, such as src/**/*.go.",
		optional: true,
		access:   permission.AccessRead,
		params: []params.Param{
			{Name: "pattern", Kind: params.Text, Required: true, About: "glob pattern; ** crosses folders"},
			{Name: "path", Kind: params.Text, About: `folder to search, default "."`},
			{Name: "limit", Kind: params.Int, Min: 1, Max: findMax, About: "most paths to return, default 200"},
			{Name: "include_ignored", Kind: params.Bool, About: "also search what is ignored"},
		},
		effect: b.folderEffect("find_files"),
		run:    b.runFindFiles,
	}
}

// glob matches paths below a folder.
type glob struct {
	pattern string
	byName  bool
}

// maxBraces is how many pairs of braces a pattern may have: each pair may double
// the time of a match.
const maxBraces = 10

func newGlob(pattern string) (glob, error) {
	pattern = strings.TrimPrefix(pattern, "./")
	if strings.Count(pattern, "{") > maxBraces {
		return glob{}, fmt.Errorf("a glob pattern may have at most %d pairs of braces", maxBraces)
	}
	if pattern == "" || !doublestar.ValidatePattern(pattern) {
		return glob{}, fmt.Errorf("%q is no valid glob pattern; examples: *.go, src/**/*.ts, {a,b}.txt", pattern)
	}
	return glob{pattern: pattern, byName: !strings.Contains(pattern, "/")}, nil
}

// matches reports whether rel, a path below base, matches the pattern.
func (g glob) matches(base, rel string) bool {
	if g.byName {
		return doublestar.MatchUnvalidated(g.pattern, path.Base(rel))
	}
	if base != "." {
		rel = strings.TrimPrefix(rel, base+"/")
	}
	return doublestar.MatchUnvalidated(g.pattern, rel)
}

func (b *Box) runFindFiles(ctx context.Context, args params.Values, _ func(string)) (result, error) {
	g, err := newGlob(args.Text("pattern"))
	if err != nil {
		return result{}, err
	}
	p, err := b.folder(args)
	if err != nil {
		return result{}, err
	}
	limit := args.Int("limit", findDefault)
	var out strings.Builder
	found := 0
	err = b.files.Walk(ctx, p, args.Bool("include_ignored"), func(e workspace.Entry) error {
		if e.IsDir() || !g.matches(p.Rel, e.Rel) {
			return nil
		}
		if found++; found > limit {
			return workspace.ErrStop
		}
		out.WriteString(e.Rel + "\n")
		return nil
	})
	switch {
	case err != nil:
		return result{}, err
	case found == 0:
		return result{text: fmt.Sprintf("no file matches %s", g.pattern)}, nil
	case found > limit:
		fmt.Fprintf(&out, "[only the first %d; narrow the pattern or raise limit]\n", limit)
	}
	return result{text: out.String()}, nil
}

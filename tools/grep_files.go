package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/workspace"
)

// grep_files searches file contents line by line with a regular expression
// (RE2). A matching line is shown as path:number:text, a line of context as
// path-number-text. Binary files, ignored files and files that commonly hold
// secrets are left out. If path names a single file, it is searched even if it is
// ignored or may hold secrets, unless a rule denies reading it.

const (
	grepDefault   = 100
	grepMax       = 2000
	grepFileBytes = 16 << 20 // larger files are left out
	grepLineChars = 300      // of a long line, shown around the match
)

func (b *Box) grepFiles() tool {
	return tool{
		name: "grep_files", readOnly: true,
		about: "Search the contents of files of the workspace with a regular expression (RE2 syntax), line by line. " +
			"Shows path:line number:text, and context lines as path-line number-text. " +
			"Leaves out binary files, what .gitignore says, and files that hold secrets.",
		brief:  "Search file contents with a regular expression (RE2).",
		access: permission.AccessRead,
		params: []params.Param{
			{Name: "pattern", Kind: params.Text, Required: true, About: "regular expression"},
			{Name: "path", Kind: params.Text, About: `folder or file to search, default "."`},
			{Name: "glob", Kind: params.Text, About: "only files that match, such as *.go"},
			{Name: "ignore_case", Kind: params.Bool, About: "match upper and lower case alike"},
			{Name: "context", Kind: params.Int, Min: 0, Max: 20, About: "lines to show before and after a match, default 0"},
			{Name: "limit", Kind: params.Int, Min: 1, Max: grepMax, About: "most matches to show, default 100"},
			{Name: "include_ignored", Kind: params.Bool, About: "also search what is ignored"},
		},
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			p, err := b.files.Locate(pathOf(args))
			if err != nil {
				return permission.Effect{}, err
			}
			t := permission.OfFile("grep_files", permission.AccessRead, p)
			t.Title = strings.TrimSuffix(args.Text("pattern")+" in "+t.Title, " in .")
			return t, nil
		},
		run: b.runGrepFiles,
	}
}

// search is one run of grep_files.
type search struct {
	files   *workspace.Files
	re      *regexp.Regexp
	literal []byte // literal prefix of every match, nil if there is none
	glob    *glob
	context int
	limit   int

	out     strings.Builder
	found   int // matching lines, at most limit+1
	skipped int // files left out because they may hold secrets, are denied, or are large
}

func (b *Box) runGrepFiles(ctx context.Context, args params.Values, _ func(string)) (result, error) {
	s, err := newSearch(b.files, args)
	if err != nil {
		return result{}, err
	}
	p, err := b.files.Locate(pathOf(args))
	if err != nil {
		return result{}, err
	}
	if b.files.Directory(p) != nil {
		if _, err := b.files.Regular(p); err != nil {
			return result{}, err
		}
		if b.Hides(p.Rel) || b.Hides(p.Name) {
			return result{}, fmt.Errorf("%s is not searched: the user's configuration denies reading it", p.Name)
		}
		if err := s.file(p.Rel); err != nil && !errors.Is(err, workspace.ErrStop) {
			return result{}, p.Explain(err)
		}
		return s.result(), nil
	}
	err = b.files.Walk(ctx, p, args.Bool("include_ignored"), func(e workspace.Entry) error {
		if !e.Type().IsRegular() || s.glob != nil && !s.glob.matches(p.Rel, e.Rel) {
			return nil
		}
		if b.Hides(e.Rel) || permission.SecretFile(e.Rel) {
			s.skipped++
			return nil
		}
		if err := s.file(e.Rel); errors.Is(err, workspace.ErrStop) {
			return err
		}
		return nil // a file that cannot be read has no matches
	})
	if err != nil {
		return result{}, err
	}
	return s.result(), nil
}

func newSearch(f *workspace.Files, args params.Values) (*search, error) {
	pattern := args.Text("pattern")
	if args.Bool("ignore_case") {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern is no valid regular expression (RE2): %w. "+
			"Put a backslash before characters meant literally", err)
	}
	s := &search{files: f, re: re, context: args.Int("context", 0), limit: args.Int("limit", grepDefault)}
	if prefix, _ := re.LiteralPrefix(); prefix != "" {
		s.literal = []byte(prefix)
	}
	if text := args.Text("glob"); text != "" {
		g, err := newGlob(text)
		if err != nil {
			return nil, err
		}
		s.glob = &g
	}
	return s, nil
}

func (s *search) file(rel string) error {
	file, st, err := s.files.Open(workspace.Path{Rel: rel, Name: rel})
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened for reading
	if st.Size() > grepFileBytes {
		s.skipped++
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(file, grepFileBytes))
	if err != nil {
		return err
	}
	if workspace.NotText(text) != "" || s.literal != nil && !bytes.Contains(text, s.literal) {
		return nil
	}
	return s.lines(rel, bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")))
}

func (s *search) lines(rel string, lines [][]byte) error {
	last := -1 // last line shown
	for i, line := range lines {
		at := s.re.FindIndex(bytes.TrimSuffix(line, []byte("\r")))
		if at == nil {
			continue
		}
		if s.found == s.limit {
			s.found++
			return workspace.ErrStop
		}
		s.found++
		from := max(i-s.context, last+1)
		if s.context > 0 && s.out.Len() > 0 && (last < 0 || from > last+1) {
			s.out.WriteString("--\n")
		}
		for j := from; j < i; j++ {
			fmt.Fprintf(&s.out, "%s-%d-%s\n", rel, j+1, excerpt(lines[j], 0))
		}
		fmt.Fprintf(&s.out, "%s:%d:%s\n", rel, i+1, excerpt(line, at[0]))
		last = i
		for j := i + 1; j <= min(i+s.context, len(lines)-1); j++ {
			if s.re.Match(bytes.TrimSuffix(lines[j], []byte("\r"))) {
				break
			}
			fmt.Fprintf(&s.out, "%s-%d-%s\n", rel, j+1, excerpt(lines[j], 0))
			last = j
		}
	}
	return nil
}

// excerpt returns a line, or the part around byte at if the line is long.
func excerpt(line []byte, at int) string {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) <= grepLineChars {
		return conversation.Clean(string(line))
	}
	from := max(0, min(at-grepLineChars/3, len(line)-grepLineChars))
	text := conversation.Clean(strings.ToValidUTF8(string(line[from:from+grepLineChars]), ""))
	return fmt.Sprintf("…%s… [line of %s]", text, numbers.Bytes(int64(len(line))))
}

func (s *search) result() result {
	text := s.out.String()
	switch {
	case s.found == 0:
		text = "no match\n"
	case s.found > s.limit:
		text += fmt.Sprintf("[only the first %d matches; narrow the pattern or the path, or raise limit]\n", s.limit)
	}
	if s.skipped > 0 {
		text += fmt.Sprintf("[not searched: %d files that may hold secrets, that the user's configuration denies, or over 16 MiB]\n",
			s.skipped)
	}
	return result{text: text}
}

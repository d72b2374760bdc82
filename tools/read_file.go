package tools

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/words"
	"plimsoll/tools/workspace"
)

// read_file shows lines of a text file with their numbers. The first line of its
// answer says which lines of how many are shown, because the end of an answer is
// what a cut takes. Files are read line by line, never whole into memory.

const (
	readLines     = 2000     // lines shown unless asked otherwise, and at most
	readLineChars = 2000     // characters of one line that are shown
	readLoneLine  = 1 << 20  // bytes shown of a line that was asked for alone
	readCount     = 64 << 20 // bytes read beyond the last line shown, to count the rest
)

func (b *Box) readFile() tool {
	return tool{
		name: "read_file", readOnly: true,
		about: "Read a text file of the workspace. Each line comes as its number, a tab and its text; the number is not part of the file. " +
			"Shows up to 2000 lines; use offset and limit for others. Lines over 2000 characters are shortened unless limit is 1. " +
			"A long result is cut; recall gives the rest. Binary files and images cannot be read.",
		brief:  "Show a text file with line numbers.",
		access: permission.AccessRead,
		params: []params.Param{
			{Name: "path", Kind: params.Text, Required: true, About: "file, relative to the workspace"},
			{Name: "offset", Kind: params.Whole, Min: 1, Max: 1_000_000_000, About: "first line to show, counted from 1"},
			{Name: "limit", Kind: params.Whole, Min: 1, Max: readLines, About: "number of lines to show, default 2000"},
		},
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			return b.fileEffect("read_file", permission.AccessRead, args.Text("path"))
		},
		run: b.runReadFile,
	}
}

func (b *Box) runReadFile(ctx context.Context, args params.Values, _ func(string)) (result, error) {
	p, err := b.files.Locate(args.Text("path"))
	if err != nil {
		return result{}, err
	}
	file, st, err := b.files.Open(p)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = file.Close() }() // opened for reading
	r := bufio.NewReaderSize(file, 64<<10)
	head, _ := r.Peek(workspace.Sniffed) // a short file is no error here; reading tells the others
	if what := workspace.NotText(head); what != "" {
		return result{}, cannotShow(p, what, st.Size())
	}
	page := linePage{first: args.Whole("offset", 1), count: args.Whole("limit", readLines)}
	if err := page.read(ctx, r); err != nil {
		return result{}, p.Explain(err)
	}
	return page.result(p)
}

func cannotShow(p workspace.Place, what string, size int64) error {
	switch {
	case strings.HasPrefix(what, "image/"):
		return fmt.Errorf("%s is an image (%s, %s). Images cannot be shown here", p.Name, what, words.Bytes(size))
	case what == "UTF-16 text":
		return fmt.Errorf("%s is %s (%s). Convert it to UTF-8 first, for example with iconv", p.Name, what, words.Bytes(size))
	}
	return fmt.Errorf("%s is no text file (%s, %s) and cannot be shown", p.Name, what, words.Bytes(size))
}

// linePage collects the lines that are asked for and counts the others.
type linePage struct {
	first, count int
	out          strings.Builder
	shown        int
	total        int
	uncounted    bool // the file goes on beyond total
}

func (g *linePage) read(ctx context.Context, r *bufio.Reader) error {
	beyond := 0
	for {
		if g.total%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		wanted := g.total+1 >= g.first && g.shown < g.count
		n, err := g.line(r, wanted)
		if n > 0 {
			g.total++
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if g.shown == g.count {
			if beyond += n; beyond > readCount {
				g.uncounted = true
				return nil
			}
		}
	}
}

// line reads one line and shows it if wanted. It returns its length in bytes, 0
// at the end of the file.
func (g *linePage) line(r *bufio.Reader, wanted bool) (int, error) {
	keep := 4 * readLineChars
	if g.count == 1 {
		keep = readLoneLine
	}
	var kept []byte
	n := 0
	for {
		part, err := r.ReadSlice('\n')
		n += len(part)
		if wanted && len(kept) < keep {
			kept = append(kept, part[:min(len(part), keep-len(kept))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if wanted && n > 0 {
			g.show(kept, n)
		}
		return n, err
	}
}

func (g *linePage) show(kept []byte, n int) {
	text := string(kept)
	if len(kept) == n {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	}
	if g.total == 0 {
		text = strings.TrimPrefix(text, "\uFEFF")
	}
	whole := len(kept) == n
	if g.count > 1 && utf8.RuneCountInString(text) > readLineChars {
		text, whole = string([]rune(text)[:readLineChars]), false
	}
	fmt.Fprintf(&g.out, "%d\t%s", g.total+1, text)
	if !whole {
		fmt.Fprintf(&g.out, " [... line of %s shortened ...]", words.Bytes(int64(n)))
	}
	g.out.WriteByte('\n')
	g.shown++
}

func (g *linePage) result(p workspace.Place) (result, error) {
	if g.total == 0 {
		return result{text: p.Name + " is empty"}, nil
	}
	if g.shown == 0 {
		return result{}, fmt.Errorf("%s has only %s lines", p.Name, numbers.Grouped(g.total))
	}
	last := g.first + g.shown - 1
	total := numbers.Grouped(g.total)
	if g.uncounted {
		total = "more than " + total
	}
	head := fmt.Sprintf("%s, lines %d-%d of %s", p.Name, g.first, last, total)
	if last < g.total || g.uncounted {
		head += fmt.Sprintf("; go on with offset %d", last+1)
	}
	return result{text: head + "\n" + conversation.Clean(g.out.String())}, nil
}

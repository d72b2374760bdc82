package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/workspace"
)

// read_file shows lines of a text file with their numbers. The first line of the
// result gives the range and the total, because a result that is too long loses
// its end.

const (
	readLines     = 2000 // lines shown by default, and at most
	readLineChars = 2000 // characters shown of a line, unless limit is 1
)

func (b *Box) readFile() tool {
	return tool{
		name: "read_file", readOnly: true,
		about: "Read a text file of the workspace. Each line comes as its number, a tab and its text; the number is not part of the " +
			"file. Shows up to 2000 lines; use offset and limit for others. Lines over 2000 characters are shortened unless limit is 1. " +
			"A long result is cut; recall gives the rest. Images and PDFs are shown, no other binary files.",
		brief:  "Show a text file with line numbers.",
		access: permission.AccessRead,
		params: []params.Param{
			{Name: "path", Kind: params.Text, Required: true, About: "file, relative to the workspace"},
			{Name: "offset", Kind: params.Int, Min: 1, Max: 1_000_000_000, About: "first line to show, counted from 1"},
			{Name: "limit", Kind: params.Int, Min: 1, Max: readLines, About: "number of lines to show, default 2000"},
		},
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			return b.readEffect("read_file", args.Text("path"), false)
		},
		run: b.runReadFile,
	}
}

func (b *Box) runReadFile(ctx context.Context, args params.Values, _ func(string)) (result, error) {
	if err := ctx.Err(); err != nil {
		return result{}, err
	}
	files, at, p, done, err := b.reach(args.Text("path"))
	if err != nil {
		return result{}, err
	}
	defer done()
	text, err := textOf(files, at)
	if what := workspace.NotText([]byte(text[:min(len(text), workspace.Sniffed)])); (strings.HasPrefix(what, "image/") || what == conversation.MediaPDF) && b.options.KeepImage != nil {
		r := result{text: p.Name + ": " + what + ", " + numbers.Bytes(int64(len(text)))}
		b.keepImages(ctx, &r, []ImageFile{{p.Name, []byte(text)}})
		return r, nil
	}
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return result{}, err
	}
	if text == "" {
		return result{text: p.Name + " is empty"}, nil
	}
	first, count := args.Int("offset", 1), args.Int("limit", readLines)
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "\uFEFF"), "\n"), "\n")
	total := numbers.Grouped(len(lines))
	if first > len(lines) {
		return result{}, fmt.Errorf("%s has only %s lines", p.Name, total)
	}
	last := min(len(lines), first-1+count)
	var out strings.Builder
	fmt.Fprintf(&out, "%s, lines %d-%d of %s", p.Name, first, last, total)
	if last < len(lines) {
		fmt.Fprintf(&out, "; go on with offset %d", last+1)
	}
	for i, line := range lines[first-1 : last] {
		line = conversation.Clean(strings.TrimSuffix(line, "\r"))
		fmt.Fprintf(&out, "\n%d\t", first+i)
		if count > 1 && utf8.RuneCountInString(line) > readLineChars {
			short := string([]rune(line)[:readLineChars])
			fmt.Fprintf(&out, "%s [... line of %s shortened ...]", short, numbers.Bytes(int64(len(line))))
		} else {
			out.WriteString(line)
		}
	}
	return result{text: out.String() + "\n"}, nil
}

// textOf returns the content of a text file; other files are an error.
func textOf(files *workspace.Files, p workspace.Path) (string, error) {
	text, err := files.Content(p)
	if err != nil {
		return "", err
	}
	if what := workspace.NotText([]byte(text[:min(len(text), workspace.Sniffed)])); what != "" {
		err = fmt.Errorf("%s is no text file (%s, %s)", p.Name, what, numbers.Bytes(int64(len(text))))
	}
	return text, err
}

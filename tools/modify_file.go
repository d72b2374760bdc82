package tools

import (
	"errors"
	"fmt"
	"strings"

	"plimsoll/tools/params"
)

// modify_file replaces text exactly. The old text must occur once, or at least once
// with replace_all. A file with CRLF line ends keeps them, although the model writes
// \n.

func (b *Box) modifyFile() tool {
	return b.editTool(tool{
		name: "modify_file",
		about: "Replace text in a file of the workspace. old must be the exact text, with its indentation and without line numbers, " +
			"and occur exactly once; add lines around it to make it unique, or set replace_all. Read the file first.",
		brief: "Replace old by new; old is exact text of the file, without line numbers, that occurs once. Read the file first.",
		params: []params.Param{
			{Name: "path", Kind: params.Text, Required: true, About: "file, relative to the workspace"},
			{Name: "old", Kind: params.Text, Required: true, About: "text to replace, exactly as in the file"},
			{Name: "new", Kind: params.Text, Required: true, About: "text to put in its place; empty to delete"},
			{Name: "replace_all", Kind: params.Bool, About: "replace every occurrence"},
		},
	}, b.planModify)
}

func (b *Box) planModify(args params.Values) (edit, error) {
	p, err := b.files.Locate(args.Text("path"))
	if err != nil {
		return edit{}, err
	}
	text, err := textOf(b.files, p)
	if err != nil {
		return edit{}, err
	}
	after, count, line, err := substitute(text, args.Text("old"), args.Text("new"), args.Bool("replace_all"))
	if err != nil {
		return edit{}, fmt.Errorf("%s: %w", p.Name, err)
	}
	done := fmt.Sprintf("modified %s: 1 replacement, line %d", p.Name, line)
	if count > 1 {
		done = fmt.Sprintf("modified %s: %d replacements, the first in line %d", p.Name, count, line)
	}
	return edit{path: p, exists: true, before: text, after: after, done: done}, nil
}

// substitute replaces old by new in text, and returns also how often and the first line, counted from 1. old must occur exactly
// once, or at least once with all.
func substitute(text, old, new string, all bool) (out string, count, line int, err error) {
	if old == "" {
		return "", 0, 0, errors.New("old is empty. Give the text to replace; a new file is made with create_file")
	}
	if old == new {
		return "", 0, 0, errors.New("old and new are the same; nothing to do")
	}
	old, new = fitLineEnds(text, old, new)
	count = strings.Count(text, old)
	switch {
	case count == 0:
		return "", 0, 0, errors.New("the text to replace (old) was not found. It must be the exact text, with its blanks and without " +
			"line numbers. Read the file again")
	case count > 1 && !all:
		return "", 0, 0, fmt.Errorf("old occurs %d times, in lines %s. Add lines around it to make it unique, or set replace_all",
			count, linesOf(text, old))
	}
	out = strings.ReplaceAll(text, old, new)
	if out == text {
		return "", 0, 0, errors.New("old and new are the same but for line ends; nothing to do")
	}
	return out, count, strings.Count(text[:strings.Index(text, old)], "\n") + 1, nil
}

// fitLineEnds returns old and new with CRLF line ends if every line of text ends in
// CRLF, or if text mixes line ends and old occurs in it only with CRLF.
func fitLineEnds(text, old, new string) (string, string) {
	windows := strings.Count(text, "\r\n")
	if windows == 0 {
		return old, new
	}
	if windows < strings.Count(text, "\n") && (strings.Contains(text, old) || !strings.Contains(text, crlf(old))) {
		return old, new
	}
	return crlf(old), crlf(new)
}

func crlf(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

// linesOf lists the first ten line numbers at which old begins.
func linesOf(text, old string) string {
	var out []string
	line, rest := 1, text
	for len(out) < 10 {
		at := strings.Index(rest, old)
		if at < 0 {
			return strings.Join(out, ", ")
		}
		line += strings.Count(rest[:at], "\n")
		out = append(out, fmt.Sprint(line))
		line += strings.Count(rest[at:at+len(old)], "\n")
		rest = rest[at+len(old):]
	}
	return strings.Join(out, ", ") + " and more"
}

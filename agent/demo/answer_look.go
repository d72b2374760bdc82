package demo

import (
	"path"
	"slices"
	"strings"
)

// Looking at files: list, read, find, search, and the question what a project
// is. Files are read a page at a time, sized by what is free of the window.

// manifests say what a project is; the first ones found are read.
var manifests = []string{
	"readme.md", "readme", "readme.txt", "readme.rst", "go.mod", "package.json", "cargo.toml", "pyproject.toml", "pom.xml",
	"build.gradle", "composer.json", "gemfile", "mix.exs", "cmakelists.txt", "makefile", "setup.py", "requirements.txt",
}

func (t *turn) project() reply {
	switch len(t.steps) {
	case 0:
		return t.use("I'll list the files first.", want("list_files", arg{"path", "."}, arg{"depth", 1}))
	case 1:
		entries := t.steps[0][0].entries()
		var read []wanted
		chosen := chooseManifests(entries)
		for _, name := range chosen {
			read = append(read, want("read_file", arg{"path", name}, arg{"limit", min(t.lines(len(chosen)), 40)}))
		}
		if len(read) == 0 || !t.has("read_file") {
			return reply{text: describeListing("This folder", t.steps[0][0])}
		}
		return t.use("I'll read what says most about it.", read...)
	}
	return reply{text: t.describeProject()}
}

func chooseManifests(entries []string) []string {
	var chosen []string
	for _, name := range manifests {
		for _, e := range entries {
			if strings.EqualFold(e, name) && len(chosen) < 3 {
				chosen = append(chosen, e)
			}
		}
	}
	return chosen
}

func (t *turn) describeProject() string {
	var b strings.Builder
	b.WriteString(describeListing("This project", t.steps[0][0]))
	b.WriteString("\n\nWhat its files say:\n")
	var problems []string
	for _, x := range t.last() {
		v := x.file()
		if v.problem != "" {
			problems = append(problems, v.problem)
			continue
		}
		for _, l := range telling(v, 4) {
			b.WriteString("\n- " + at(v.path, l.n) + " " + quoteLine(l.text, 160))
		}
	}
	for _, p := range problems {
		b.WriteString("\n\n" + p)
	}
	b.WriteString("\n\nNext: `read FILE`, `search TEXT` or `summarise FILE`.")
	return b.String()
}

// telling lines of a file: headings, declarations, and else the first ones
// with words in them.
var declaration = lazy(`^\s*(?:#{1,3} \S|(?:export |pub |public |static |async |default |abstract )*(?:func|type|class|def|fn|struct|enum|trait|interface|module|package|impl|function|const|var) |import \w|go \d|\[[\w.-]+\]|"(?:name|version|description|main|license|scripts|type)":|(?:name|version|description|edition) *=|[\w.-]+:\s*(?:$|[^=]))`)

func telling(v fileView, n int) []line {
	var chosen []line
	said := make(map[string]bool)
	for _, l := range v.lines {
		if len(chosen) < n && declaration().MatchString(l.text) && !said[l.text] {
			chosen, said[l.text] = append(chosen, l), true
		}
	}
	for _, l := range v.lines {
		if len(chosen) >= n {
			break
		}
		if len(strings.Fields(l.text)) >= 4 && !said[l.text] && !strings.HasPrefix(l.text, "```") {
			chosen, said[l.text] = append(chosen, l), true
		}
	}
	slices.SortFunc(chosen, func(a, b line) int { return a.n - b.n })
	return chosen
}

func (t *turn) list() reply {
	folder := t.wish.Path
	if folder == "" {
		folder = "."
	}
	if len(t.steps) == 0 {
		depth := 1
		if strings.Contains(strings.ToLower(t.said), "tree") {
			depth = 2
		}
		return t.use("I'll list it.", want("list_files", arg{"path", folder}, arg{"depth", depth}))
	}
	title := "This folder"
	if folder != "." {
		title = "`" + folder + "`"
	}
	return reply{text: describeListing(title, t.last()[0])}
}

// describeListing counts what a listing shows and names the folders.
func describeListing(title string, x exchange) string {
	entries := x.entries()
	var folders []string
	kinds := make(map[string]int)
	files := 0
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e, "/"); ok {
			folders = append(folders, strings.ReplaceAll(name, "`", "'"))
			continue
		}
		files++
		if ext := path.Ext(e); ext != "" && ext != e {
			kinds[ext]++
		}
	}
	if len(entries) == 0 || files+len(folders) == 1 && strings.Contains(entries[0], " ") {
		return title + " shows nothing: " + quoteLine(x.result, 160)
	}
	text := title + " shows " + plural(files, "file")
	if len(folders) > 0 {
		text += " and " + plural(len(folders), "folder")
	}
	if common := commonest(kinds, 3); len(common) > 0 && files > 3 {
		text += "; the commonest endings are " + strings.Join(common, ", ")
	}
	text += "."
	if len(folders) > 0 {
		text += " Folders: " + codeList(folders[:min(len(folders), 7)]) + "."
	}
	if note := x.note(); note != "" {
		text += " The list is not complete: " + quoteLine(note, 160) + "."
	}
	return text
}

func commonest(kinds map[string]int, n int) []string {
	var names []string
	for name := range kinds {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if kinds[a] != kinds[b] {
			return kinds[b] - kinds[a]
		}
		return strings.Compare(a, b)
	})
	var out []string
	for _, name := range names[:min(n, len(names))] {
		out = append(out, "`"+strings.ReplaceAll(name, "`", "'")+"` ("+itoa(kinds[name])+")")
	}
	return out
}

func (t *turn) readFile() reply {
	if len(t.steps) == 0 {
		from, limit := max(t.wish.From, 1), t.lines(1)
		switch {
		case t.wish.To >= from:
			limit = min(limit, t.wish.To-from+1)
		case t.wish.From > 0:
			limit = min(limit, 20)
		}
		offset := 0
		if from > 1 {
			offset = from
		}
		return t.use("I'll read it.", want("read_file", arg{"path", t.wish.Path}, arg{"offset", offset}, arg{"limit", limit}))
	}
	return reply{text: describeFile(t.last()[0].file())}
}

// describeFile shows a short passage whole and of a long one what tells most.
func describeFile(v fileView) string {
	name := "`" + strings.ReplaceAll(v.path, "`", "'") + "`"
	switch {
	case v.problem != "":
		return v.problem
	case v.isEmpty:
		return name + " is empty."
	}
	first, last := v.lines[0].n, v.lines[len(v.lines)-1].n
	head := name + ", lines " + itoa(first) + " to " + itoa(last) + " of " + v.size() + "."
	if len(v.lines) <= 16 {
		var lines []string
		for _, l := range v.lines {
			lines = append(lines, clipText(l.text, 200))
		}
		return head + "\n\n" + fence(strings.TrimPrefix(path.Ext(v.path), "."), lines)
	}
	head += " What stands out:\n"
	for _, l := range telling(v, 10) {
		head += "\n- " + at(v.path, l.n) + " " + quoteLine(l.text, 140)
	}
	if v.truncate {
		head += "\n\nGo on with `read " + v.path + " lines " + itoa(last+1) + "-" + itoa(last+len(v.lines)) + "`."
	}
	return head
}

// size is the length of the file in words.
func (v fileView) size() string {
	if v.atLeast {
		return "more than " + itoa(v.total)
	}
	return itoa(v.total)
}

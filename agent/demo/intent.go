package demo

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// What the user wants is read off the verbs and paths of the newest user
// message, by rules tried in order; the first that matches wins. Of a message
// of several paragraphs the whole, then the last and the first paragraph are
// tried, because a client may put files or a summary around what was typed.

// kind names a thing the program can do.
type kind string

const (
	kindUnknown   kind = "unknown"
	kindHelp      kind = "help"
	kindGreeting  kind = "greeting"
	kindRecall    kind = "recall"
	kindTodoAdd   kind = "todo add"
	kindTodoDone  kind = "todo done"
	kindTodoShow  kind = "todo show"
	kindTests     kind = "run the tests"
	kindRun       kind = "run"
	kindReplace   kind = "replace"
	kindCreate    kind = "create"
	kindCompare   kind = "compare"
	kindCount     kind = "count"
	kindSummarise kind = "summarise"
	kindAsk       kind = "ask me"
	kindFill      kind = "fill the window"
	kindFillGauge kind = "fill the gauge"
	kindStory     kind = "story"
	kindProject   kind = "project"
	kindList      kind = "list"
	kindRead      kind = "read"
	kindGrep      kind = "search"
	kindFind      kind = "find"
)

// intent is a parsed wish. Which fields mean something depends on Kind.
type intent struct {
	Kind     kind
	Think    bool   // show the reasoning first
	Path     string // a file, a folder, or the ID to recall
	Other    string // the second file of a comparison
	Text     string // what to search, write, run, add or replace
	With     string // the replacement
	From, To int    // lines, or words in From; 0 for none
}

// polite is what people put before a verb.
var polite = lazy(`(?i)^(?:(?:please|pls|could you|can you|would you|will you|ok|okay|so|now|then|and|also|just|let's|lets|i want you to|i want to|i'd like you to|i'd like to|plimsoll|demo)[,:]?\s+)+`)

var thinking = lazy(`(?is)^think\b(?:\s+(?:hard|carefully|aloud|step by step|first|well))*(?:\s+(?:about|of|through))?[\s,:.]*(?:(?:and|then)\s+)*(?P<text>.*)$`)

// parseIntent reads what the user wants. Any text is fine.
func parseIntent(text string) intent {
	for _, candidate := range candidates(text) {
		if in := parseOne(candidate); in.Kind != kindUnknown {
			return in
		}
	}
	return intent{Kind: kindUnknown, Text: clipText(foldSpace(text), 400), Think: thinking().MatchString(strings.TrimSpace(text))}
}

// maxCommand is how much of a message can be a command, in bytes.
const maxCommand = 4000

func candidates(text string) []string {
	text = strings.TrimSpace(text)
	all := []string{text}
	if paragraphs := strings.Split(text, "\n\n"); len(paragraphs) > 1 {
		all = append(all, paragraphs[len(paragraphs)-1], paragraphs[0])
	}
	for i, c := range all {
		if len(c) > maxCommand && i > 0 {
			all[i] = ""
		}
	}
	return all
}

func parseOne(text string) intent {
	text = strings.TrimSpace(text)
	if text == "" {
		return intent{Kind: kindUnknown}
	}
	text = text[len(polite().FindString(text)):]
	if m := thinking().FindStringSubmatch(text); m != nil {
		in := parseOne(m[1])
		in.Think = true
		return in
	}
	bare := strings.TrimRight(text, " \t\r\n?!.")
	bare = strings.TrimSuffix(strings.TrimSuffix(bare, " please"), ",")
	for _, r := range rules() {
		subject := bare
		if r.kind == kindRun || r.kind == kindCreate || r.kind == kindReplace || bare == "" {
			subject = text // what is written or run is taken letter for letter
		}
		if len(subject) > maxCommand && r.kind != kindCreate && r.kind != kindSummarise {
			continue
		}
		if m := r.pattern.FindStringSubmatch(subject); m != nil {
			if in, ok := r.fill(m); ok {
				return in
			}
		}
	}
	return intent{Kind: kindUnknown, Text: clipText(foldSpace(text), 400)}
}

func (r rule) fill(m []string) (intent, bool) {
	in := intent{Kind: r.kind}
	for i, name := range r.pattern.SubexpNames() {
		if m[i] == "" {
			continue
		}
		switch name {
		case "path":
			in.Path = cleanPath(m[i])
		case "other":
			in.Other = cleanPath(m[i])
		case "text":
			in.Text = m[i]
		case "with":
			in.With = m[i]
		case "from":
			in.From = number(m[i])
		case "to":
			in.To = number(m[i])
		}
	}
	in.refine()
	return in, r.accept == nil || r.accept(&in)
}

// refine settles what one pattern leaves open.
func (in *intent) refine() {
	switch in.Kind {
	case kindTodoAdd, kindTodoDone:
		if in.Text == "" {
			in.Text, in.Other = in.Other, ""
		}
		in.Text = foldSpace(unquote(in.Text))
	case kindGrep, kindRun, kindReplace, kindCreate, kindRecall:
		in.Text, in.With = unquote(in.Text), unquote(in.With)
	case kindFind:
		in.refineFind()
	case kindRead:
		if at := lineSuffix().FindStringSubmatch(in.Path); at != nil {
			in.Path, in.From, in.To = at[1], number(at[2]), number(at[3])
		}
	}
}

var lineSuffix = lazy(`^(.+?):(\d+)(?:[-:](\d+))?$`)

func (in *intent) refineFind() {
	if in.Other != "" {
		in.Text, in.Other = "*."+extension(in.Other), ""
		return
	}
	if quoted := unquote(in.Text); quoted != in.Text && !looksLikePath(quoted) || strings.ContainsAny(quoted, " \t\n") {
		in.Kind, in.Text = kindGrep, quoted
		return
	}
	in.Text = unquote(in.Text)
}

// extension turns the name of a language into its file ending.
func extension(language string) string {
	known := map[string]string{"markdown": "md", "python": "py", "javascript": "js", "typescript": "ts", "rust": "rs",
		"golang": "go", "ruby": "rb", "text": "txt", "test": "test.*", "shell": "sh", "bash": "sh", "c++": "cpp", "c#": "cs"}
	language = strings.ToLower(language)
	if ext, ok := known[language]; ok {
		return ext
	}
	return language
}

// number reads "12", "1,200" and "2k"; anything that is no small number is 0.
func number(s string) int {
	s = strings.ToLower(s)
	factor := 1
	if t, ok := strings.CutSuffix(s, "k"); ok {
		s, factor = t, 1000
		if f, err := strconv.ParseFloat(s, 64); err == nil && f < 1000 {
			return int(f * 1000)
		}
	}
	n, err := strconv.Atoi(strings.NewReplacer(",", "", ".", "").Replace(s))
	if err != nil || n > 1_000_000 {
		return 0
	}
	return n * factor
}

// cleanPath removes what stands around a path in a sentence.
func cleanPath(p string) string {
	p = strings.Trim(p, "`\"'@()<>,;")
	if trimmed := strings.TrimRight(p, "?!.:"); trimmed != "" {
		return trimmed
	}
	return p
}

// unquote removes one pair of quotes or backquotes around s.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, pair := range [...]string{"``", `""`, "''", "“”", "«»", "‘’"} {
		first, n := utf8.DecodeRuneInString(pair)
		last := pair[n:]
		if len(s) > n+len(last) && strings.HasPrefix(s, string(first)) && strings.HasSuffix(s, last) {
			return s[n : len(s)-len(last)]
		}
	}
	return s
}

var fileName = lazy(`(?i)^(?:\.?[\w@+-][\w@+.-]*\.[a-z0-9]{1,10}|readme|makefile|license|licence|dockerfile|changelog|notice|todo|justfile|gemfile|rakefile|\.[a-z][\w.-]*|\.{1,2})$`)

// looksLikePath reports whether a word can only be meant as a path.
func looksLikePath(s string) bool {
	s, _, _ = strings.Cut(s, ":")
	return len(s) > 1 && strings.Contains(s, "/") || strings.Contains(s, "*.") || fileName().MatchString(s)
}

package owncommand

import (
	"regexp"
	"strings"
	"sync"
)

// The text of a command becomes a message in one pass, so that what is put in is never read as part of the command:
//
//   - $ARGUMENTS is all that was typed, $1 to $9 its words; a word in quotes is one. A backslash before keeps the text as it is.
//   - Arguments that no place takes follow the text, after a blank line.
//   - !`command` is replaced by the command's output. Arguments in a command are quoted as words.
//   - @file attaches a file, also where an argument named it.

var (
	commandPlaces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(^|\\s)!`([^`\n]*[^`\\s][^`\n]*)`") })
	mentionPlaces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[\s(])@(?:"([^"\n]+)"|([^\s"@]+))`) })
	placeholders  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\?\$(\d+|[A-Za-z_]\w*)`) })
	plainWord     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w./:@%+=,-]+$`) })
	typedWords    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"([^"]*)"(?:\s|$)|'([^']*)'(?:\s|$)|(\S+)`) })
)

// Expansion is the text of a command with its arguments.
type Expansion struct {
	Commands []string // to run, in order; their outputs are put in
	Mentions []string // paths to attach, each once
	parts    []string // the texts between the outputs; one more than Commands
}

// Expand puts arguments into the body of a command.
func Expand(body, args string) Expansion {
	in := inserter{all: strings.TrimSpace(args), words: Words(args)}
	var e Expansion
	at := 0
	for _, m := range commandPlaces().FindAllStringSubmatchIndex(body, -1) {
		e.parts = append(e.parts, in.text(body[at:m[3]]))
		e.Commands = append(e.Commands, strings.TrimSpace(in.command(body[m[4]:m[5]])))
		at = m[1]
	}
	rest := in.text(body[at:])
	if in.all != "" && !in.used {
		rest = strings.TrimRight(rest, " \t\n") + "\n\n" + in.all
	}
	e.parts = append(e.parts, rest)
	seen := map[string]bool{"": true}
	for _, part := range e.parts {
		for _, m := range mentionPlaces().FindAllStringSubmatch(part, -1) {
			if path := m[1] + strings.TrimRight(m[2], ".,;:!?)]}'"); !seen[path] {
				seen[path] = true
				e.Mentions = append(e.Mentions, path)
			}
		}
	}
	return e
}

// Words splits what was typed after a command into its arguments; one in quotes is one.
func Words(args string) []string {
	var words []string
	for _, m := range typedWords().FindAllStringSubmatch(args, -1) {
		words = append(words, m[1]+m[2]+m[3])
	}
	return words
}

// Message is the text with the outputs of the commands, in their order.
func (e Expansion) Message(outputs []string) string {
	var b strings.Builder
	for i, part := range e.parts {
		b.WriteString(part)
		if i < len(outputs) {
			b.WriteString(strings.Trim(outputs[i], "\n"))
		}
	}
	return strings.TrimSpace(b.String())
}

// inserter puts arguments into texts.
type inserter struct {
	all   string
	words []string
	used  bool // a place took arguments
}

// values are the arguments for a placeholder. A text that is no placeholder stays as it is.
func (in *inserter) values(placeholder string) (values []string, literal string) {
	name := strings.TrimLeft(placeholder, `\$`)
	isNumber := len(name) == 1 && name >= "1" && name <= "9"
	switch {
	case name != "ARGUMENTS" && !isNumber:
		return nil, placeholder
	case placeholder[0] == '\\':
		return nil, placeholder[1:]
	}
	in.used = true
	if !isNumber {
		return in.words, ""
	}
	i := min(int(name[0]-'1'), len(in.words))
	return in.words[i:min(i+1, len(in.words))], ""
}

func (in *inserter) text(s string) string {
	return placeholders().ReplaceAllStringFunc(s, func(p string) string {
		values, literal := in.values(p)
		if p == "$ARGUMENTS" {
			return in.all
		}
		return literal + strings.Join(values, " ")
	})
}

// command puts the arguments into a shell command, quoted for where they stand: a word each outside of quotes, text within.
func (in *inserter) command(s string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		if m := placeholders().FindStringIndex(s[i:]); m != nil && m[0] == 0 {
			values, literal := in.values(s[i : i+m[1]])
			b.WriteString(literal + quoted(values, quote))
			i += m[1] - 1
			continue
		}
		switch c := s[i]; {
		case c == '\\' && quote != '\'' && i+1 < len(s):
			b.WriteByte(c)
			i++
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// quoted writes arguments as a shell reads them within a quote, 0 for none.
func quoted(values []string, quote byte) string {
	text := strings.Join(values, " ")
	switch quote {
	case '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(text)
	case '\'':
		return strings.ReplaceAll(text, `'`, `'\''`)
	}
	var words []string
	for _, v := range values {
		if !plainWord().MatchString(v) {
			v = `'` + strings.ReplaceAll(v, `'`, `'\''`) + `'`
		}
		words = append(words, v)
	}
	return strings.Join(words, " ")
}

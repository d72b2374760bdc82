package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll/tools/params"
	"plimsoll/tools/permission"
)

// A command tool is a shell command of the configuration that the model may run with arguments. Rules:
//
//   - {NAME} in the command is replaced by the argument, quoted as one word; a list by a word for each entry. The command is
//     refused where a quoted argument could still be read as code: in quotes, substitutions, comments, here-documents.
//   - A word whose argument is not given is left out whole.
//   - An argument that begins with - is refused where the program would read it as an option.
//   - Permissions decide about the finished command, by the rules of the tool and by the patterns of run_command.

// CommandTool declares a command tool.
type CommandTool struct {
	Name       string
	Command    string // with {NAME} for each parameter
	About      string // for the model; "": the command
	Parameters []CommandParameter
	Timeout    time.Duration // 0: that of run_command
}

// CommandParameter is a parameter of a command tool.
type CommandParameter struct {
	Name     string
	Type     string // string (also ""), integer, boolean or array (of strings)
	About    string // for the model
	Required bool
	Choices  []string // of a string: the only values allowed
	Flag     string   // option in front of the value, in the same word if it ends with =; of a boolean, in place of true
}

// param declares the parameter to the model.
func (p CommandParameter) param() params.Param {
	d := params.Param{Name: p.Name, About: p.About, Required: p.Required, Choices: p.Choices}
	switch p.Type {
	case "integer":
		d.Kind = params.Int
	case "boolean":
		d.Kind = params.Bool
	case "array":
		d.Kind = params.Texts
	}
	return d
}

// commandTool makes the tool. Errors: a command that has not each parameter at a place where it can be quoted.
func (b *Box) commandTool(c CommandTool) (tool, error) {
	words, err := parseCommand(c.Command, c.Parameters)
	if err != nil {
		return tool{}, fmt.Errorf("tools.%s.command: %w", c.Name, err)
	}
	c.About = cmp.Or(c.About, "Run: "+c.Command)
	c.Timeout = cmp.Or(c.Timeout, commandSeconds*time.Second)
	t := tool{name: c.Name, about: c.About, brief: c.About, access: permission.AccessCommand}
	for _, p := range c.Parameters {
		t.params = append(t.params, p.param())
	}
	t.effect = func(_ context.Context, args params.Values) (permission.Effect, error) {
		command, err := expand(words, args)
		if err != nil {
			return permission.Effect{}, err
		}
		effect := permission.OfCommand(command)
		effect.Tool = c.Name
		return effect, nil
	}
	t.run = func(ctx context.Context, args params.Values, progress func(string)) (result, error) {
		command, err := expand(words, args)
		if err != nil {
			return result{}, err
		}
		return b.runForeground(ctx, command, c.Timeout, progress)
	}
	return t, nil
}

// commandPart is a piece of a command: text, or the place of a parameter.
type commandPart struct {
	text      string
	parameter *CommandParameter
}

// commandWord is a word of a command, or what separates two.
type commandWord []commandPart

// commandScanner reads a command to the places of its parameters.
type commandScanner struct {
	parameters []CommandParameter
	words      []commandWord
	word       commandWord
	text       strings.Builder
	quote      byte // ' or " or ` while within one, # within a comment, 0 outside
	escapes    bool // a backslash in the quote escapes
}

// parseCommand splits a command into words, and finds the places of its parameters.
func parseCommand(command string, parameters []CommandParameter) ([]commandWord, error) {
	s := &commandScanner{parameters: parameters}
	for i := 0; i < len(command); i++ {
		n, err := s.step(command, i)
		if err != nil {
			return nil, err
		}
		i += n - 1
	}
	s.endWord()
	switch {
	case strings.TrimSpace(command) == "":
		return nil, errors.New("the command is empty")
	case strings.ContainsRune(command, 0):
		return nil, errors.New("a command cannot hold a NUL character")
	case s.quote != 0 && s.quote != '#':
		return nil, fmt.Errorf("a quote %c is not closed", s.quote)
	}
	for i := range parameters {
		p, placed := &parameters[i], false
		for _, w := range s.words {
			if slices.Contains(w, commandPart{parameter: p}) {
				if placed = true; p.Type == "array" && len(w) > 1 {
					return nil, fmt.Errorf("write {%s} as a word of its own: it is a list", p.Name)
				}
			}
		}
		if !placed {
			return nil, fmt.Errorf("write {%s} where the argument belongs", p.Name)
		}
	}
	if len(parameters) > 0 {
		for _, code := range []string{"<<", "((", "${", "$'"} {
			if strings.Contains(command, code) {
				return nil, fmt.Errorf("a command with parameters cannot hold %s: an argument there could be read as code. Put it into a script", code)
			}
		}
	}
	return s.words, nil
}

// step reads what begins at i, and returns its length in bytes.
func (s *commandScanner) step(command string, i int) (int, error) {
	c := command[i]
	if name, ok := parameterAt(command[i:]); ok {
		at := slices.IndexFunc(s.parameters, func(p CommandParameter) bool { return p.Name == name })
		switch {
		case at >= 0 && s.quote != 0:
			return 0, fmt.Errorf("write {%s} outside quotes and comments: the argument is quoted already", name)
		case at >= 0:
			s.flushText()
			s.word = append(s.word, commandPart{parameter: &s.parameters[at]})
			return len(name) + 2, nil
		case s.quote == 0 && s.text.Len() == 0:
			return 0, fmt.Errorf("there is no parameter %q; declare it, or write \\{ for a brace", name)
		}
	}
	switch {
	case c == '\\' && (s.quote == 0 || s.escapes) && i+1 < len(command):
		s.text.WriteString(command[i : i+2])
		return 2, nil
	case s.quote == '#' && c == '\n', s.quote != 0 && s.quote != '#' && c == s.quote:
		s.quote = 0
	case s.quote != 0:
	case c == '\'' || c == '"' || c == '`':
		s.quote, s.escapes = c, c != '\'' || i > 0 && command[i-1] == '$'
	case c == '#' && s.text.Len() == 0 && len(s.word) == 0:
		s.quote, s.escapes = c, false
	case strings.IndexByte(" \t\n;|&()<>", c) >= 0:
		s.endWord()
		s.words = append(s.words, commandWord{{text: string(c)}})
		return 1, nil
	}
	s.text.WriteByte(c)
	return 1, nil
}

func (s *commandScanner) flushText() {
	if s.text.Len() > 0 {
		s.word = append(s.word, commandPart{text: s.text.String()})
		s.text.Reset()
	}
}

func (s *commandScanner) endWord() {
	if s.flushText(); len(s.word) > 0 {
		s.words = append(s.words, s.word)
		s.word = nil
	}
}

// parameterAt is the name in braces that a text begins with.
func parameterAt(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, "{")
	name, _, closed := strings.Cut(rest, "}")
	return name, ok && closed && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

func expand(words []commandWord, args params.Values) (string, error) {
	var out strings.Builder
	noOptions := false // after --, nothing is read as an option
	for _, w := range words {
		text, given := "", true
		for i, part := range w {
			if part.parameter == nil {
				text += part.text
				continue
			}
			values, ok := part.parameter.values(args)
			if !ok {
				given = false
				break
			}
			for k, value := range values {
				if strings.ContainsRune(value, 0) {
					return "", fmt.Errorf("%q cannot hold a NUL character", part.parameter.Name)
				}
				if i == 0 && part.parameter.Type != "integer" && part.parameter.Flag == "" && !noOptions && strings.HasPrefix(value, "-") {
					return "", fmt.Errorf("%q must not begin with -: the command would read it as an option", part.parameter.Name)
				}
				if k > 0 {
					text += " "
				}
				text += part.parameter.word(value)
			}
		}
		if given {
			out.WriteString(text)
		}
		noOptions = text == "--" || noOptions && !strings.ContainsAny(text, ";|&\n()")
	}
	return strings.Trim(out.String(), " \t\n"), nil
}

// values is the argument as texts; false where it is not given and leaves out its word.
func (p CommandParameter) values(args params.Values) ([]string, bool) {
	if _, given := args[p.Name]; !given {
		return nil, false
	}
	switch p.Type {
	case "integer":
		return []string{strconv.Itoa(args.Int(p.Name, 0))}, true
	case "boolean":
		if p.Flag != "" {
			return []string{""}, args.Bool(p.Name)
		}
		return []string{strconv.FormatBool(args.Bool(p.Name))}, true
	case "array":
		texts := args.Texts(p.Name)
		return texts, len(texts) > 0
	}
	return []string{args.Text(p.Name)}, true
}

// word is one value as the shell reads it, behind the option of the parameter.
func (p CommandParameter) word(value string) string {
	quoted := "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	switch {
	case p.Flag == "":
		return quoted
	case p.Type == "boolean":
		return p.Flag
	case strings.HasSuffix(p.Flag, "="):
		return p.Flag + quoted
	}
	return p.Flag + " " + quoted
}

package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// MaxFrontMatter is the largest front matter that is read, in bytes.
const MaxFrontMatter = 8 << 10

// Fields are the top-level keys of a front matter. A value is nil, a bool, a string, an int64, a uint64, a float64, []any or
// map[string]any.
type Fields map[string]any

// Text is the value of a key as text, without white space around it; "" for a missing key, a list or a table.
func (f Fields) Text(key string) string {
	switch v := f[key].(type) {
	case nil, []any, map[string]any:
		return ""
	default:
		return strings.TrimSpace(fmt.Sprint(v))
	}
}

// List is the value of a key as a list: the texts of a list, or the words of a text, separated by spaces or commas. What stands
// in parentheses belongs to the word before it.
func (f Fields) List(key string) []string {
	list, ok := f[key].([]any)
	if !ok {
		return regexp.MustCompile(`[^\s,()]+(\([^)]*\))?`).FindAllString(f.Text(key), -1)
	}
	var out []string
	for _, item := range list {
		if text := (Fields{"": item}).Text(""); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// FrontMatter reads the YAML between two lines --- at the beginning of a text, and returns it with the text after it. A text
// that begins otherwise has no fields. Values that other programs accept and YAML does not (a colon followed by a space, two
// lists in a row) are read as plain text. Errors: no closing line, control characters, more than [MaxFrontMatter], or no keys.
func FrontMatter(text string) (fields Fields, body string, err error) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return nil, text, nil
	}
	var lines []string
	for {
		line, after, more := strings.Cut(rest, "\n")
		rest = after
		if strings.TrimRight(line, " \t") == "---" {
			break
		} else if !more {
			return nil, text, errors.New("the front matter has no closing line ---")
		}
		lines = append(lines, line)
	}
	front := strings.Join(lines, "\n")
	if len(front) > MaxFrontMatter {
		return nil, rest, fmt.Errorf("the front matter is larger than %s", Size(MaxFrontMatter))
	}
	fields, problem := readFields(front)
	if problem != nil {
		var stillWrong *Problem
		if fields, stillWrong = readFields(quoteValues(lines)); stillWrong != nil {
			at := ""
			if problem.Line > 0 {
				at = fmt.Sprintf("line %d of ", problem.Line+1)
			}
			return nil, rest, errors.New(at + "the front matter: " + problem.Message)
		}
	}
	return fields, rest, nil
}

// readFields parses the text of a front matter.
func readFields(text string) (Fields, *Problem) {
	src, problem := checkText("front matter", []byte(text))
	if problem != nil {
		return nil, problem
	}
	leaves, problem := parseText(src, text, nil)
	if problem != nil {
		return nil, problem
	}
	for _, l := range leaves {
		if len(l.path) == 0 && !l.isEmpty() {
			return nil, src.problem(1, "", "needs keys with values, but has "+l.kind(), "")
		}
	}
	return tableOf(leaves), nil
}

// quoteValues quotes the values that stand on the line of a top-level key.
func quoteValues(lines []string) string {
	out, topKey := make([]string, len(lines)), regexp.MustCompile(`^[\w-]+$`)
	for i, line := range lines {
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		out[i] = line
		if ok && value != "" && topKey.MatchString(key) && !strings.ContainsAny(value[:1], `"'|>`) {
			out[i] = key + ": '" + strings.ReplaceAll(value, "'", "''") + "'"
		}
	}
	return strings.Join(out, "\n")
}

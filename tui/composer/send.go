package composer

import (
	"strings"

	"github.com/sahilm/fuzzy"
)

// A draft is sent as a message, a slash command or a shell line. A text that begins
// with a slash is a command only if its first word looks like one, so that a message
// may begin with a path.

// shell returns the command of a text that begins with ! or !!; add is true for one !.
func shell(text string) (line string, add, ok bool) {
	if line, ok := strings.CutPrefix(text, "!!"); ok {
		return strings.TrimSpace(line), false, true
	}
	if line, ok := strings.CutPrefix(text, "!"); ok {
		return strings.TrimSpace(line), true, true
	}
	return "", false, false
}

func slash(text string) (name, args string, ok bool) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return "", "", false
	}
	end := strings.IndexAny(rest, " \t\n")
	if end < 0 {
		end = len(rest)
	}
	name, args = rest[:end], strings.TrimSpace(rest[end:])
	if name == "?" {
		return name, args, true
	}
	for i := range len(name) {
		c := name[i]
		later := c == '-' || c == '_' || c == ':' || c >= '0' && c <= '9'
		if letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'; !letter && (i == 0 || !later) {
			return "", "", false
		}
	}
	return name, args, name != ""
}

// Nearest returns the known word most similar to a mistyped one, ignoring case: at most one change per three letters,
// or else a word that contains its letters in order; "" if no word is similar.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best, least := "", max(1, len(word)/3)+1
	for _, k := range known {
		if d := distance(word, strings.ToLower(k)); d < least && d < len(k) {
			best, least = k, d
		}
	}
	if found := fuzzy.Find(word, known); best == "" && len(found) > 0 {
		return found[0].Str
	}
	return best
}

// distance is the number of letters to change, insert, delete or swap with the next one to turn a into b.
func distance(a, b string) int {
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		older, old, row = old, row, older
		row[0] = i + 1
		for j := range len(b) {
			change := old[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, row[j]+1, old[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

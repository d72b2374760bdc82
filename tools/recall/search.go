package recall

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A search reads the whole log, including messages that overlays replace: messages, replies, arguments of calls, and
// results with their stored texts. It ignores case, and all words must occur in the same event. The newest events come
// first. Calls and results of recall and search_history are not searched.

const (
	historyWords  = 20       // words of a query, at most
	historyLine   = 240      // bytes shown of a matching line
	historyStored = 64 << 20 // bytes of stored texts that one search reads
	historyHead   = 300      // characters reserved for the first line of an answer
)

// hit is an event that contains all words.
type hit struct {
	event int    // index
	line  string // line with the whole query, or else with its first word
}

// search lists matching events, at most limit and in at most most characters, after skipping the first offset.
func (l *log) search(query string, offset, limit, most int) (string, error) {
	words := strings.Fields(strings.ToLower(query))
	switch {
	case len(words) == 0:
		return "", errors.New("search_history needs words to look for in \"query\"")
	case len(words) > historyWords:
		return "", fmt.Errorf("the query has %d words; at most %d are searched for. Take the rarest ones", len(words), historyWords)
	}
	hits, unread, err := l.hits(words)
	if err != nil {
		return "", err
	}
	note := ""
	if unread > 0 {
		note = fmt.Sprintf(". Of %s only what is in the log was searched", numbers.Count(unread, "long result"))
	}
	query = conversation.OneLine(strings.Join(words, " "), 80)
	switch {
	case len(hits) == 0:
		text := fmt.Sprintf("nothing in this conversation holds all of %q. Try fewer or other words%s", query, note)
		return text[:runeOffset(text, most)], nil
	case offset >= len(hits):
		return "", fmt.Errorf("%s hold %q; offset must be below that", numbers.Count(len(hits), "place"), query)
	}
	var b strings.Builder
	used, end := 0, offset
	for _, h := range hits[offset:min(len(hits), offset+limit)] {
		text := fmt.Sprintf("\n\ne%d: %s\n%s", l.events[h.event].Seq, conversation.OneLine(l.describe(h.event), 120), h.line)
		if used += utf8.RuneCountInString(text); end > offset && used > most-historyHead {
			break
		}
		b.WriteString(text)
		end++
	}
	head := fmt.Sprintf("%s hold %q, the newest first. Shown are %d-%d", numbers.Count(len(hits), "place"), query, offset+1, end)
	if end < len(hits) {
		head += fmt.Sprintf(". Go on with the same query, offset %d", end)
	}
	return head + note + b.String(), nil
}

// hits returns the events that contain all words, the newest first, and how many stored texts were not searched.
func (l *log) hits(words []string) (hits []hit, unread int, err error) {
	read := 0
	for i, e := range slices.Backward(l.events) {
		if err := l.ctx.Err(); err != nil {
			return nil, 0, err
		}
		line, ok := lineWith(searchedText(e.Body), words)
		if r, _ := e.Body.(conversation.ToolResult); !ok && r.Blob != "" && !isHistoryTool(r.Tool) {
			text, err := "", error(nil)
			if read < historyStored {
				text, err = l.archive.Blob(l.ctx, r.Blob)
			}
			if read += len(text); text == "" || err != nil {
				unread++
			} else {
				line, ok = lineWith(text, words)
			}
		}
		if ok {
			hits = append(hits, hit{i, line})
		}
	}
	return hits, unread, nil
}

// searchedText returns the text of an event to search, without stored texts.
func searchedText(b conversation.Body) string {
	switch b := b.(type) {
	case conversation.UserMessage:
		return b.Text
	case conversation.AssistantMessage:
		text := b.Text
		for _, c := range b.Calls {
			if !isHistoryTool(c.Name) {
				text += "\n" + c.Name + " " + c.Arguments
			}
		}
		return text
	case conversation.ToolResult:
		if !isHistoryTool(b.Tool) {
			return b.Text
		}
	}
	return ""
}

// isHistoryTool reports whether a tool only repeats earlier texts of the conversation.
func isHistoryTool(tool string) bool {
	return tool == conversation.ToolRecall || tool == conversation.ToolSearchHistory
}

// lineWith returns the line of a text on which the words occur in a row, or else the line with the first word; false if
// the text lacks one of the words.
func lineWith(text string, words []string) (string, bool) {
	low := strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(low, w) {
			return "", false
		}
	}
	at := strings.Index(low, strings.Join(words, " "))
	if at < 0 {
		at = strings.Index(low, words[0])
	}
	begin := strings.LastIndexByte(low[:at], '\n') + 1
	line := strings.Split(text, "\n")[strings.Count(low[:at], "\n")] // by line number, because lower case can change byte lengths
	return aroundMatch(strings.TrimSuffix(line, "\r"), at-begin, historyLine), true
}

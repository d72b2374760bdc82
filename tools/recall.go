package tools

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
)

// recall gives back what a cut or a mask hides: the original text of an event, a
// turn, a stored text or a tool call of this conversation, and of no other. An
// answer says which characters of how many it shows and how to go on. What does
// not fit the limit is left for the next call; a miss lists what comes close.

// recallOverhead is kept free for the first line of an answer, in characters.
const recallOverhead = 300

func (b *Box) recall() tool {
	return tool{
		name: "recall", readOnly: true,
		about: "Show the original of something earlier in this conversation that was cut or shortened: by the id of an event (e41), a turn (t3), " +
			"a stored text, or a tool call. query shows only the lines that hold it, with their neighbours; offset and limit page through, in characters. " +
			"Without id, lists the results that were cut, with their ids.",
		params: []param{
			{name: "id", kind: kindText, about: "e41, t3, the name of a stored text or its beginning, or the id of a tool call"},
			{name: "query", kind: kindText, about: "words to look for, upper and lower case alike"},
			{name: "offset", kind: kindWhole, min: 0, max: math.MaxInt32, about: "characters to skip, default 0"},
			{name: "limit", kind: kindWhole, min: 1, max: math.MaxInt32, about: "most characters to show"},
		},
		touch: func(_ context.Context, args arguments) (touch, error) {
			return touch{tool: "recall", title: strings.TrimSpace(args.text("id") + " " + args.text("query"))}, nil
		},
		run: b.runRecall,
	}
}

// recallLimit is the most characters an answer may have now.
func recallLimit(o Options) func() int {
	most := o.ResultChars
	if most <= 0 {
		most = conversation.ResultMaxChars
	}
	return func() int {
		limit := most
		if o.RecallChars != nil {
			limit = min(limit, max(o.RecallChars(), minRecallChars))
		}
		return limit
	}
}

func (b *Box) runRecall(ctx context.Context, args arguments, _ func(string)) (result, error) {
	if b.archive == nil {
		return result{}, errors.New("this conversation keeps no originals")
	}
	events, err := b.archive.Events(ctx)
	if err != nil {
		return result{}, fmt.Errorf("read the conversation: %w", err)
	}
	a := archived{ctx: ctx, archive: b.archive, events: events}
	id := strings.Trim(strings.TrimSpace(args.text("id")), "\"'`#[]() ")
	most := b.recallMax()
	if id == "" {
		return result{text: a.contents(most)}, nil
	}
	original, err := a.find(id)
	if err != nil {
		return result{}, err
	}
	room := max(most-recallOverhead, most/2)
	limit := min(args.whole("limit", room), room)
	offset := args.whole("offset", 0)
	if query := strings.TrimSpace(args.text("query")); query != "" {
		return original.search(query, offset, limit)
	}
	return original.page(offset, limit)
}

// original is a text found, and what it is called.
type original struct {
	id    string // to recall it by
	about string // "result of read_file main.go, turn 3"
	text  string
	note  string // what is not there, "" if all is
}

// page shows limit characters from offset on.
func (o original) page(offset, limit int) (result, error) {
	total := utf8.RuneCountInString(o.text)
	if total == 0 {
		return result{text: fmt.Sprintf("%s: %s. It is empty%s", o.id, o.about, o.note)}, nil
	}
	if offset >= total {
		return result{}, fmt.Errorf("%s has only %s characters; offset must be below that", o.id, grouped(total))
	}
	from := runeOffset(o.text, offset)
	to := from + runeOffset(o.text[from:], limit)
	end := min(offset+limit, total)
	head := fmt.Sprintf("%s: %s. Characters %s-%s of %s%s", o.id, o.about, grouped(offset+1), grouped(end), grouped(total), o.note)
	if end < total {
		head += fmt.Sprintf(". Go on with id %q, offset %d", o.id, end)
	}
	return result{text: head + "\n\n" + o.text[from:to]}, nil
}

// runeOffset is the byte at which character n of text begins, its length if it
// has not so many.
func runeOffset(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// archived answers ids from the events of the conversation.
type archived struct {
	ctx     context.Context // of the one call that recalls
	archive Archive
	events  []conversation.Event
}

// contents lists the newest results that were cut.
func (a archived) contents(most int) string {
	const listed = 10
	var lines []string
	for _, e := range slices.Backward(a.events) {
		r, ok := e.Body.(conversation.ToolResult)
		if !ok || r.Total == 0 && r.Blob == "" {
			continue
		}
		lines = append(lines, fmt.Sprintf("e%d  turn %d  %s  %s characters", e.Seq, e.Turn, a.callTitle(r), grouped(r.Total)))
		if len(lines) == listed {
			break
		}
	}
	if len(lines) == 0 {
		return "no result of this conversation was cut. Give the id of an event (e41), a turn (t3) or a tool call to see it again"
	}
	text := "results that were cut, newest first; recall one by its id:\n" + strings.Join(lines, "\n")
	return text[:runeOffset(text, most)]
}

// callTitle names a result by its tool and what the call was about.
func (a archived) callTitle(r conversation.ToolResult) string {
	for _, e := range slices.Backward(a.events) {
		m, ok := e.Body.(conversation.AssistantMessage)
		if !ok {
			continue
		}
		for _, c := range m.Calls {
			if c.ID == r.CallID {
				return oneLine(c.Name+" "+c.Arguments, 120)
			}
		}
	}
	return oneLine(r.Tool, 120)
}

package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
	"plimsoll/tools/words"
)

// recall gives back what a cut or an overlay hides: the original text of an
// event, of turns, of what an overlay speaks of, of a call or a stored text. An
// answer says which characters of how many it shows and how to go on. What does
// not fit the limit is left for the next call; a miss lists what comes close and
// never sends the model to do its work a second time; what is still shown in
// full is pointed to instead of repeated.

var recallParams = []params.Param{
	{Name: "id", Kind: params.Text, About: "an event (e41), a turn (t3) or turns (t3-7), a tool call's id, or a stored text's name"},
	{Name: "query", Kind: params.Text, About: "show only the lines that hold this"},
	{Name: "offset", Kind: params.Whole, Min: 0, Max: math.MaxInt32, About: "characters to skip"},
	{Name: "limit", Kind: params.Whole, Min: 1, Max: math.MaxInt32, About: "most characters to show"},
}

// recallID is what is to be recalled, without what models put around ids.
func recallID(args params.Values) string {
	return strings.Trim(strings.TrimSpace(args.Text("id")), "\"'`#[]() ")
}

func (b *Box) recall() tool {
	return tool{
		name: conversation.ToolRecall, readOnly: true,
		about:  "Show the original of something earlier in this conversation that was cut or shortened. Without id, lists what was.",
		params: recallParams,
		effect: func(_ context.Context, args params.Values) (permission.Effect, error) {
			return permission.Effect{Tool: conversation.ToolRecall, Title: strings.TrimSpace(args.Text("id") + " " + args.Text("query"))}, nil
		},
		run: b.runRecall,
	}
}

func (b *Box) runRecall(ctx context.Context, args params.Values, _ func(string)) (result, error) {
	p, err := b.history.read(ctx)
	if err != nil {
		return result{}, err
	}
	b.history.mu.Lock()
	defer b.history.mu.Unlock()
	if b.history.spent(conversation.ToolRecall, p.turn()) {
		return result{text: fmt.Sprintf("%d originals were asked for in this turn, which is the most. Go on with what they gave, and say what could not be looked up. "+
			"search_history finds single lines; after the user's next message recall answers as before", maxLookups), detail: "the most in one turn"}, nil
	}
	most := b.history.most()
	id := recallID(args)
	if id == "" {
		return result{text: p.contents(most)}, nil
	}
	at, err := p.find(id)
	if err != nil {
		return result{}, err
	}
	if text, ok := p.inView(at); ok {
		return result{text: text, detail: "still in view"}, nil
	}
	limit := args.Whole("limit", math.MaxInt32)
	q := question{tool: conversation.ToolRecall, id: at.id, query: strings.TrimSpace(args.Text("query")), offset: args.Whole("offset", 0)}
	return b.history.once(p, q, limit, at.id, func() (answer, error) {
		o, err := p.original(at, q.query != "")
		if err != nil {
			return answer{}, err
		}
		if q.query != "" {
			return o.search(q.query, q.offset, limit, most)
		}
		return o.page(q.offset, limit, most)
	})
}

// inView says where the originals of a passage stand if the model is shown all of
// them in full anyway.
func (p *past) inView(at passage) (string, bool) {
	if len(at.events) == 0 || slices.ContainsFunc(at.events, func(i int) bool { return !p.inFull(i) }) {
		return "", false
	}
	i := at.events[0]
	ago := "in this turn"
	if n := p.turn() - p.events[i].Turn; n > 0 {
		ago = numbers.Count(n, "turn") + " back"
	}
	subject := fmt.Sprintf("%s (%s, %s)", at.id, p.what(i), p.when(i))
	if at.many {
		subject = fmt.Sprintf("all of %s (%s)", at.id, at.about)
	}
	text := fmt.Sprintf("%s stands above in full, %s", subject, ago)
	if line := p.firstLine(i); line != "" {
		text += fmt.Sprintf("; it begins %q", line)
	}
	return text + ". Read it there", true
}

// inFull reports whether the model is shown all of an event.
func (p *past) inFull(i int) bool {
	return p.visible != nil && p.visible(p.events[i].Seq) && !p.partial(i)
}

// partial reports whether a request that shows an event may still lack some of
// it: what was cut when it arrived, and reasoning, which few servers take back.
func (p *past) partial(i int) bool {
	switch b := p.events[i].Body.(type) {
	case conversation.AssistantMessage:
		return b.Reasoning != ""
	case conversation.ToolResult:
		return b.Total > 0 || b.Blob != ""
	}
	return false
}

// firstLine is how an event begins, shortened.
func (p *past) firstLine(i int) string {
	text := ""
	switch b := p.events[i].Body.(type) {
	case conversation.UserMessage:
		text = b.Text
	case conversation.AssistantMessage:
		text = b.Text
	case conversation.ToolResult:
		text = b.Text
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return words.Line(line, 60)
}

// page shows up to limit characters from offset on, in an answer of at most
// most characters.
func (o original) page(offset, limit, most int) (answer, error) {
	total := utf8.RuneCountInString(o.text)
	if total == 0 {
		return answer{fmt.Sprintf("%s: %s. It is empty%s", o.id, o.about, o.note), -1}, nil
	}
	if offset >= total {
		return answer{}, fmt.Errorf("%s has only %s characters; offset must be below that", o.id, numbers.Grouped(total))
	}
	head := func(end int) string {
		text := fmt.Sprintf("%s: %s. Characters %s-%s of %s%s", o.id, o.about, numbers.Grouped(offset+1), numbers.Grouped(end), numbers.Grouped(total), o.note)
		if end < total {
			text += fmt.Sprintf(". Go on with id %q, offset %d", o.id, end)
		}
		return text
	}
	longest := utf8.RuneCountInString(head(total-1)) + 2
	if longest > most/2 { // results are cut very short: save what can be saved
		head = func(end int) string {
			text := fmt.Sprintf("%s %d-%d/%d", o.id, offset+1, end, total)
			if end < total {
				text += fmt.Sprintf(", next offset %d", end)
			}
			return text
		}
		longest = utf8.RuneCountInString(head(total-1)) + 2
	}
	from := runeOffset(o.text, offset)
	body := o.text[from : from+runeOffset(o.text[from:], min(limit, max(1, most-longest)))]
	if o.lines && from+len(body) < len(o.text) {
		if at := strings.LastIndexByte(body, '\n'); at > 0 {
			body = body[:at+1]
		}
	}
	end := offset + utf8.RuneCountInString(body)
	next := end
	if end == total {
		next = -1
	}
	return answer{head(end) + "\n\n" + body, next}, nil
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

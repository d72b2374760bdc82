// Package recall reads earlier messages of a conversation for the model: [Reader.Recall] by id, [Reader.Search] by words.
//
// An id is an event (e41), events (e41-45), a turn or turns (t3, t3-7), the id of a tool call, or the name of a stored
// text. The id of a summary, a drop, a mask or a cap names the messages it covers. An answer gives the range of characters
// it shows, the total, and the next offset. The error for an unknown id lists ids near it.
package recall

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/params"
)

// Archive reads the log of a conversation and the texts stored beside it.
type Archive interface {
	// Events returns the log so far, in order.
	Events(ctx context.Context) ([]conversation.Event, error)
	// Blob returns the text stored under a name found in those events.
	Blob(ctx context.Context, name string) (string, error)
}

// Reader answers recall and search_history from one conversation. It is safe for concurrent use.
type Reader struct {
	archive Archive
	most    func() int // returns how many characters an answer may have now
}

// New returns a reader of archive; if that is nil, every answer is an error. most limits an answer, in characters.
func New(archive Archive, most func() int) *Reader { return &Reader{archive, most} }

// Params are the parameters of the recall tool.
var Params = []params.Param{
	{Name: "id", Kind: params.Text, About: "an event (e41), a turn (t3) or turns (t3-7), a tool call's id, or a stored text's name"},
	{Name: "query", Kind: params.Text, About: "show only the lines that hold this"},
	{Name: "offset", Kind: params.Int, Min: 0, Max: math.MaxInt32, About: "characters to skip"},
	{Name: "limit", Kind: params.Int, Min: 1, Max: math.MaxInt32, About: "most characters to show"},
}

// ID returns the id argument of recall without the quotes, brackets or # that models put around it.
func ID(args params.Values) string {
	return strings.Trim(strings.TrimSpace(args.Text("id")), "\"'`#[]() ")
}

// maxImages is how many images an answer has at most.
const maxImages = 4

// Recall returns the original text that an id names, or with a query only its matching lines. offset and limit are in
// characters. The first images come with the beginning of a text. Without an id it lists the shortened messages.
func (r *Reader) Recall(ctx context.Context, id, query string, offset, limit int) (string, []conversation.Image, error) {
	l, err := r.load(ctx)
	if err != nil {
		return "", nil, err
	}
	if id == "" {
		return l.listShortened(r.most()), nil, nil
	}
	at, err := l.find(id)
	if err != nil {
		return "", nil, err
	}
	o, err := l.original(at)
	if query = strings.TrimSpace(query); err == nil && query != "" {
		o, err = o.matching(query)
	}
	if err != nil {
		return "", nil, err
	}
	if offset > 0 {
		o.images = nil
	}
	if n := len(o.images); n > maxImages {
		o.note += fmt.Sprintf(" (with the first %d of %d images; recall an event for its own)", maxImages, n)
		o.images = o.images[:maxImages]
	}
	text, err := o.page(offset, limit, r.most())
	return text, o.images, err
}

// Search lists at most limit events that contain all words of a query, after skipping the first offset events.
func (r *Reader) Search(ctx context.Context, query string, offset, limit int) (string, error) {
	l, err := r.load(ctx)
	if err != nil {
		return "", err
	}
	return l.search(query, offset, limit, r.most())
}

// log is the conversation at the time of one call.
type log struct {
	ctx     context.Context // of that call
	archive Archive
	events  []conversation.Event
	rewinds []uint64 // by index: number of the rewind that undid the event, or 0; nil if the log has no rewinds
}

func (r *Reader) load(ctx context.Context) (*log, error) {
	if r.archive == nil {
		return nil, errors.New("this conversation keeps no originals")
	}
	events, err := r.archive.Events(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the conversation: %w", err)
	}
	return &log{ctx, r.archive, events, conversation.RewoundBy(events)}, nil
}

// describe describes an event in a few words: `result of read_file {"path":"x"} (ok), turn 3`.
func (l *log) describe(i int) string {
	text := ""
	switch b := l.events[i].Body.(type) {
	case conversation.UserMessage:
		text = "message of the user"
	case conversation.AssistantMessage:
		text = "reply"
		if !b.Stop.IsComplete() {
			text += " (" + conversation.OneLine(string(b.Stop), 20) + ")"
		}
	case conversation.ToolResult:
		text = "result of " + conversation.OneLine(l.callOf(i, b), 120)
		if b.Status != "" {
			text += " (" + conversation.OneLine(string(b.Status), 20) + ")"
		}
	default:
		text = conversation.OneLine(string(b.Kind()), 20)
	}
	text += fmt.Sprintf(", turn %d", l.events[i].Turn)
	if l.rewinds != nil && l.rewinds[i] != 0 {
		text += " (undone)"
	}
	return text
}

// callOf returns the name and arguments of the call that result i belongs to, or only the tool's name.
func (l *log) callOf(i int, r conversation.ToolResult) string {
	for _, e := range slices.Backward(l.events[:i]) {
		reply, _ := e.Body.(conversation.AssistantMessage) // nil for other bodies
		for _, c := range reply.Calls {
			if c.ID == r.CallID {
				return c.Name + " " + c.Arguments
			}
		}
	}
	return r.Tool
}

// listMost is how many results, and how many overlays, the list of recall contains.
const listMost = 10

// listShortened lists what is shortened, the newest first: results that were cut or are shown as stubs, and summaries and
// drops.
func (l *log) listShortened(most int) string {
	var short []conversation.Span
	var lines []string
	for _, i := range slices.Backward(conversation.OverlaysInForce(l.events)) {
		e := l.events[i]
		switch b := e.Body.(type) {
		case conversation.Cap, conversation.Mask:
			short = append(short, conversation.SpansOf(b)...)
		case conversation.Summary, conversation.Drop:
			if len(lines) < listMost {
				lines = append(lines, fmt.Sprintf("e%d  %s of %s", e.Seq, b.Kind(), numbers.Count(len(l.within(conversation.SpansOf(b))), "message")))
			}
		}
	}
	shortened := conversation.Disjoint(short)
	var results []string
	for i, e := range slices.Backward(l.events) {
		r, _ := e.Body.(conversation.ToolResult)
		if len(results) < listMost && conversation.IsMessage(e.Body) && (shortened.Contains(e.Seq) || r.Total > 0 || r.Blob != "") {
			results = append(results, fmt.Sprintf("e%d  %s", e.Seq, l.describe(i)))
		}
	}
	lines = append(results, lines...)
	if len(lines) == 0 {
		return "nothing of this conversation was cut or shortened. The id of an event (e41), a turn (t3) or a tool call shows its original"
	}
	text := "shortened in this conversation, newest first; recall one by its id, search_history finds others:\n" + strings.Join(lines, "\n")
	return text[:runeOffset(text, most)]
}

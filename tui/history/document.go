package history

import (
	"math"
	"slices"

	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
)

// document is the content of the history: the originals, what is sent of each, and the rows of the side that is shown. open reads
// each event and message once, but not their texts.
type document struct {
	Content
	rows     []inspect.HistoryRow
	active   map[uint64]bool // overlays and reverts that are in force
	answered map[string]bool // calls that have a result
	hidden   int             // tokens of originals that are not sent
	modified bool            // compaction changed what is sent

	side     side
	request  *request // the request that is shown, nil for the conversation as it is now
	messages []projection.Message
	items    []item

	units   []conversation.Unit      // of the log; nil until they are needed
	entries map[uint64]inspect.Entry // the compactions by their first event; nil unless only compactions are shown
}

// side is which texts are shown.
type side int

const (
	sideBoth side = iota
	sideOriginal
	sideSent
	sides
	sideCompactions = sides // only the list of compactions; Tab does not choose it
)

// String names the side.
func (s side) String() string { return [...]string{"both", "original", "as sent", "compactions"}[s] }

// kind is what a row shows.
type kind uint8

const (
	kindOriginal kind = iota // an event that is a message
	kindEvent                // an overlay, a model, a notice
	kindMessage              // a message as it is sent
	kindPrompt               // the system prompt of a request
	kindTools                // the tools of a request
)

// item is a row of the history.
type item struct {
	kind       kind
	startsTurn bool // a turn begins here
	at         int  // index into rows for kindOriginal, into the log for kindEvent, into messages for kindMessage
}

// rowID identifies a row when others are added or removed.
type rowID struct {
	kind kind
	seq  uint64
	part int // index among the messages that replace the same events
}

func open(c Content) *document {
	if c.Factor <= 0 {
		c.Factor = 1
	}
	d := &document{Content: c, rows: inspect.HistoryRows(c.Log, c.View), active: map[uint64]bool{}, answered: map[string]bool{}, messages: c.View.Messages}
	for _, i := range slices.Concat(conversation.OverlaysInForce(c.Log), conversation.RevertsInForce(c.Log)) {
		d.active[c.Log[i].Seq] = true
	}
	d.countTokens()
	return d
}

// show lists the rows of a side, or of a request.
func (d *document) show(s side, r *request) {
	d.side, d.request, d.messages = s, r, d.View.Messages
	d.items = d.items[:0:0]
	switch {
	case r != nil:
		d.messages = r.rebuilt.Messages
		if !r.pending && r.err == nil {
			d.items = append(d.items, item{kind: kindPrompt}, item{kind: kindTools})
		}
		d.listMessages()
	case s == sideSent:
		d.listMessages()
	case s == sideCompactions:
		d.listCompactions()
	default:
		d.listOriginals()
	}
}

func (d *document) listMessages() {
	for i := range d.messages {
		d.items = append(d.items, item{kind: kindMessage, at: i, startsTurn: i == 0 || d.messages[i].Turn != d.messages[i-1].Turn})
	}
}

// listOriginals lists the messages and, between them, the other events.
func (d *document) listOriginals() {
	d.items = make([]item, 0, len(d.rows)+16)
	next, turn := 0, -1
	for i := range d.Log {
		if next < len(d.rows) && d.rows[next].Event == i {
			d.items = append(d.items, item{kind: kindOriginal, at: next, startsTurn: d.Log[i].Turn != turn})
			next, turn = next+1, d.Log[i].Turn
			continue
		}
		if _, usage := d.Log[i].Body.(conversation.Usage); !usage && !d.continuesEpoch(i) {
			d.items = append(d.items, item{kind: kindEvent, at: i})
		}
	}
}

// continuesEpoch reports whether an overlay belongs to the same epoch as the event before it.
func (d *document) continuesEpoch(i int) bool {
	epoch := conversation.EpochOf(d.Log[i])
	return i > 0 && epoch != 0 && conversation.EpochOf(d.Log[i-1]) == epoch
}

// epochFrom returns the overlays of the epoch that begins with the event at an index.
func (d *document) epochFrom(i int) []conversation.Event {
	end := i + 1
	for end < len(d.Log) && d.continuesEpoch(end) {
		end++
	}
	return d.Log[i:end]
}

// index returns the index of an event in the log, -1 if it is not in the log.
func (d *document) index(seq uint64) int { return conversation.IndexOf(d.Log, seq) }

// event returns the event of a row: for a message the first event that it contains or replaces. It
// is nil for a row without an event.
func (d *document) event(it item) *conversation.Event {
	i := -1
	switch it.kind {
	case kindOriginal:
		i = d.rows[it.at].Event
	case kindEvent:
		i = it.at
	case kindMessage:
		if events := d.messages[it.at].Events; len(events) > 0 {
			i = d.index(events[0])
		}
	}
	if i < 0 {
		return nil
	}
	return &d.Log[i]
}

// seq returns the number of a row's event, 0 for none.
func (d *document) seq(it item) uint64 {
	if e := d.event(it); e != nil {
		return e.Seq
	}
	return 0
}

func (d *document) id(it item) rowID {
	k := rowID{kind: it.kind, seq: d.seq(it)}
	switch {
	case it.kind != kindMessage:
		return k
	case k.seq == 0:
		k.part = it.at
		return k
	}
	for i := it.at - 1; i >= 0 && sameEvents(&d.messages[i], &d.messages[it.at]); i-- {
		k.part++
	}
	return k
}

func sameEvents(x, y *projection.Message) bool {
	return len(x.Events) > 0 && len(x.Events) == len(y.Events) && x.Events[0] == y.Events[0]
}

// rowAt returns the row of an event, or the last row before it. If seq is 0, it returns
// the row fallback, or the nearest row that exists.
func (d *document) rowAt(seq uint64, fallback int) int {
	if seq == 0 {
		return max(0, min(fallback, len(d.items)-1))
	}
	found := 0
	for i, it := range d.items {
		if it.kind == kindMessage && slices.Contains(d.messages[it.at].Events, seq) {
			return i
		}
		if s := d.seq(it); s != 0 && s <= seq {
			found = i
			if s == seq {
				return i
			}
		}
	}
	return found
}

// replacing returns the message of the view at an index and those after it that replace the same events:
// some presets send a summary as a question and an answer.
func (d *document) replacing(i int) []projection.Message {
	list, end := d.View.Messages[i:], 1
	for end < len(list) && sameEvents(&list[0], &list[end]) && list[0].State == projection.StateSummarised {
		end++
	}
	return list[:end]
}

func (d *document) isRewound(r *inspect.HistoryRow) bool {
	if r.Message >= 0 || r.State != projection.StateDropped {
		return false
	}
	i := d.index(r.Overlay)
	return i >= 0 && d.Log[i].Body.Kind() == conversation.KindRewind
}

// rowOfTurn returns the row at which a turn begins, -1 if it has no message.
func (d *document) rowOfTurn(n int) int {
	return slices.IndexFunc(d.rows, func(r inspect.HistoryRow) bool { return d.Log[r.Event].Turn == n })
}

// countTokens computes answered, hidden and modified. Like the gauge, it adds tokens for the framing of
// each message.
func (d *document) countTokens() {
	framed := func(size conversation.Size, calls int) float64 {
		return meter.Estimate(size) + meter.FramingTokens*float64(1+calls)
	}
	tokens := 0.0
	for i := range d.rows {
		r := &d.rows[i]
		reply, _ := d.Log[r.Event].Body.(conversation.AssistantMessage)
		if result, ok := d.Log[r.Event].Body.(conversation.ToolResult); ok {
			d.answered[result.CallID] = true
		}
		tokens += framed(r.Before, len(reply.Calls))
		if !d.isRewound(r) && r.State != projection.StateVerbatim && r.State != projection.StatePinned {
			d.modified = true
		}
	}
	for i := range d.View.Messages {
		m := &d.View.Messages[i]
		tokens -= framed(m.After(), len(m.Calls))
	}
	d.hidden = int(math.Round(tokens * d.Factor))
}

// totalsLine has the tokens of the originals and of what is sent: ~412k of conversation, sent as ~61k (+~10k prompt and tools).
// The sent tokens add up to the number of the gauge.
func (d *document) totalsLine() string {
	sent := max(0, d.Used-d.Prompt)
	out := pane.About(max(0, sent+d.hidden)) + " of conversation, sent as " + pane.About(sent)
	if d.Prompt > 0 {
		out += " (+" + pane.About(d.Prompt) + " prompt and tools)"
	}
	return out
}

func (d *document) tokens(s conversation.Size) int { return int(meter.Estimate(s)*d.Factor + 0.5) }

// Content is the conversation that the history shows.
type Content struct {
	Log      []conversation.Event
	View     projection.View
	Requests []inspect.SentRequest
	Factor   float64 // tokens of the model per estimated token; 0 counts as 1
	Used     int     // tokens of the next request, as the gauge shows them
	Prompt   int     // those of the system prompt and the tools among them
	Title    string
	ReadOnly string // why nothing can be changed, "" if it can
}

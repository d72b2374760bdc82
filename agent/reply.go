package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"plimsoll/conversation"
)

// reply adds up the pieces of one reply.
type reply struct {
	text, reasoning strings.Builder
	calls           []*callPieces
	open            map[int]int // wire index -> place in calls
	stop            conversation.StopReason
	usage           *Tokens
	extras          map[string]conversation.RawJSON
	bodyHash, form  string
	bytes           int // of text, reasoning and calls
}

// callPieces adds up one call.
type callPieces struct {
	id, name  string
	arguments strings.Builder
	chars     int // code points of arguments
	extra     conversation.RawJSON
}

func newReply() *reply { return &reply{open: map[int]int{}} }

// add adds a piece and returns the places of the calls that it changed.
func (r *reply) add(c Chunk) (changed []int) {
	r.text.WriteString(c.Text)
	r.reasoning.WriteString(c.Reasoning)
	r.bytes += len(c.Text) + len(c.Reasoning)
	for _, d := range c.Calls {
		changed = append(changed, r.addCall(d))
	}
	if c.Stop != "" {
		r.stop = c.Stop
	}
	if c.Usage != nil {
		u := *c.Usage
		r.usage = &u
	}
	if c.BodyHash != "" {
		r.bodyHash, r.form = c.BodyHash, c.Form
	}
	if len(c.Extras) > 0 {
		if r.extras == nil {
			r.extras = map[string]conversation.RawJSON{}
		}
		maps.Copy(r.extras, c.Extras)
	}
	return changed
}

// callBytes is what a call counts for beyond its arguments: calls that do not
// end are a reply that does not end.
const callBytes = 256

// addCall adds a piece of a call. Servers exist that number all parallel calls
// 0 and tell them apart by id only.
func (r *reply) addCall(d CallDelta) int {
	i, ok := r.open[d.Index]
	if !ok || d.ID != "" && r.calls[i].id != "" && d.ID != r.calls[i].id {
		i = len(r.calls)
		r.calls = append(r.calls, &callPieces{})
		r.open[d.Index] = i
		r.bytes += callBytes
	}
	call := r.calls[i]
	if d.ID != "" {
		call.id = d.ID
	}
	if d.Name != "" {
		call.name = d.Name
	}
	if len(d.Extra) > 0 {
		call.extra = d.Extra
	}
	call.arguments.WriteString(d.Arguments)
	call.chars += utf8.RuneCountInString(d.Arguments)
	r.bytes += len(d.Arguments)
	return i
}

// arrived reports whether anything came that is worth keeping.
func (r *reply) arrived() bool { return r.bytes > 0 || len(r.calls) > 0 }

// empty reports whether the model ended a reply without saying anything. One
// cut at its limit or withheld is not empty: asking again would not help.
func (r *reply) empty() bool {
	ended := r.stop == conversation.StopEnd || r.stop == conversation.StopCalls
	return ended && len(r.calls) == 0 && strings.TrimSpace(r.text.String()) == ""
}

// A reply and what was reported about it are one transaction, also when it is
// the reply to a request that failed or was stopped. Calls of a reply that did
// not end of its own accord are not run; their answers are in the same
// transaction, so that the log can be sent again whatever happens next.

// replyKeeper puts replies into the log. It keeps at hand what would otherwise be looked
// up in the log again and again.
type replyKeeper struct {
	*journal
	windows *windowKeeper
	callIDs map[string]bool // every id a call had
	titled  bool            // the conversation has a title, or will have
}

// note keeps at hand what events say.
func (k *replyKeeper) note(events []conversation.Event) {
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			for _, c := range b.Calls {
				k.callIDs[c.ID] = true
			}
		case conversation.Renamed:
			k.titled = true
		}
	}
}

// keepReply appends the answer to a request and returns the calls to run.
func (k *replyKeeper) keepReply(ctx context.Context, r request, ans answer) ([]*call, error) {
	var bodies []conversation.Body
	for _, spent := range ans.spent {
		bodies = append(bodies, k.windows.usage(r, spent, 0)...)
	}
	if ans.err != nil && !ans.reply.arrived() {
		_, err := k.keep(ctx, append(bodies, k.windows.usage(r, ans.reply, 0)...)...)
		return nil, err
	}
	message, calls := k.message(r, ans)
	seq := k.nextSeq() + uint64(len(bodies))
	bodies = append(bodies, message)
	bodies = append(bodies, k.windows.usage(r, ans.reply, seq)...)
	if why := notRun(message.Stop); why != "" {
		for _, c := range message.Calls {
			bodies = append(bodies, interruptedResult(c, why))
		}
		calls = nil
	}
	bodies = append(bodies, k.hints(r, ans.reply)...)
	if _, err := k.keep(ctx, bodies...); err != nil {
		k.pending = append(k.pending, abandoned(calls)...)
		return nil, err
	}
	return calls, nil
}

// message is the reply as it is stored, and its calls.
func (k *replyKeeper) message(r request, ans answer) (conversation.AssistantMessage, []*call) {
	rep := ans.reply
	m := conversation.AssistantMessage{
		Text: rep.text.String(), Reasoning: rep.reasoning.String(), Model: r.model.Name(), Extras: rep.extras,
	}
	var calls []*call
	for i, p := range rep.calls {
		c := k.newCall(i, p)
		m.Calls = append(m.Calls, c.ToolCall)
		calls = append(calls, c)
	}
	var failure *Error
	switch {
	case errors.As(ans.err, &failure):
		m.Stop, m.Error = conversation.StopFailed, failure.Message
	case errors.Is(ans.err, errCancelled):
		m.Stop = conversation.StopCancelled
	case ans.err != nil:
		m.Stop = conversation.StopInterrupted
	case rep.stop == conversation.StopEnd && len(calls) > 0:
		m.Stop = conversation.StopCalls // servers exist that say "stop" with calls
	case rep.stop == conversation.StopCalls && len(calls) == 0:
		m.Stop = conversation.StopEnd
	default:
		m.Stop = rep.stop
	}
	return m, calls
}

// newCall completes a call: it gets an id where it has none or one that was
// used before, a name, and arguments that are an object.
func (k *replyKeeper) newCall(i int, p *callPieces) *call {
	args := conversation.Clean(p.arguments.String())
	repaired, valid := conversation.RepairArguments(args)
	c := &call{
		ToolCall: conversation.ToolCall{
			ID: conversation.Clean(strings.TrimSpace(p.id)), Name: strings.TrimSpace(p.name), Arguments: repaired, Extra: p.extra,
		},
		invalid: !valid,
	}
	if c.Name == "" {
		c.Name = "unnamed" // servers refuse a history with an empty name
	}
	for n := 0; c.ID == "" || k.callIDs[c.ID]; n++ {
		c.ID = fmt.Sprintf("call_%d_%d", k.nextSeq(), i+n)
	}
	k.callIDs[c.ID] = true
	return c
}

// unreported is what is known of a request before anything was counted for it,
// by what arrived of the reply: enough to make it again.
func (r request) unreported(rep *reply) conversation.Usage {
	return conversation.Usage{
		For: r.purpose, Revision: r.revision, Model: r.model.Name(),
		Prompt: -1, Cached: -1, CacheWrite: -1, Completion: -1, Reasoning: -1,
		Estimate: r.estimate, BodyHash: rep.bodyHash, Through: r.after, MaxTokens: r.MaxTokens, Form: rep.form,
	}
}

// hints is what is worth telling about a reply: the title that the
// conversation gets with its first one, and a prompt that was cut silently.
func (k *replyKeeper) hints(r request, rep *reply) []conversation.Body {
	var bodies []conversation.Body
	if !k.titled {
		k.titled = true
		if title := DefaultTitle(k.log.Events()); title != "" {
			bodies = append(bodies, conversation.Renamed{Title: title, By: "auto"})
		}
	}
	return append(bodies, k.windows.watchCuts(r, rep)...)
}

// titleChars is the length of a title made from a message.
const titleChars = 60

// DefaultTitle is the first line of the first message, shortened. What a command of
// the user's own printed says little of what a conversation is about.
func DefaultTitle(events []conversation.Event) string {
	for _, e := range events {
		if m, ok := e.Body.(conversation.UserMessage); ok {
			if _, _, ran := conversation.RanIn(m.Text); ran {
				continue
			}
			return shorten(firstLine(m.Text), titleChars)
		}
	}
	return ""
}

// firstLine is the first line with something in it, as one line of text.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = oneLine(line); line != "" {
			return line
		}
	}
	return ""
}

// oneLine is text without control characters and with single spaces.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' {
			return ' '
		}
		return r
	}, conversation.Clean(text))
	return strings.Join(strings.Fields(text), " ")
}

// shorten cuts text to n characters, at a word where there is one.
func shorten(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	cut := string(runes[:n-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,.;:") + "…"
}

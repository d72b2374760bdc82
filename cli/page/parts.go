package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/diff"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// Calls with their results, what the model is sent of a message now, and compactions.

const scale = 160 // pixels of the bar for a request before its compaction

// writePre writes preformatted text, or that it is left out.
func (p *page) writePre(text string, omit bool) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if omit {
		text = "[left out]"
	}
	p.put("<pre>%s</pre>", text)
}

// writeMarkdown writes a text of a message; one that the parser would take too long for, as plain text.
func (p *page) writeMarkdown(text string) {
	source := []byte(p.clean(text))
	var out bytes.Buffer
	if !isTame(source) || p.markdown.Convert(source, &out) != nil {
		p.writePre(text, false)
	} else if out.Len() > 0 {
		p.put("<div class=\"md\">%s</div>", markup(plain.Text(out.String()))) // again: Markdown has escapes for characters
	}
}

func (p *page) writeResult(b conversation.ToolResult) {
	call := conversation.ToolCall{ID: b.CallID, Name: b.Tool}
	if i := slices.IndexFunc(p.open, func(c conversation.ToolCall) bool { return c.ID == b.CallID }); i >= 0 {
		call, p.open = p.open[i], slices.Concat(p.open[:i], p.open[i+1:]) // not in place: the list is the log's
	}
	facts, failed := "", b.Status != conversation.ResultOK && b.Status != ""
	if failed {
		facts = " · " + string(b.Status)
	}
	file, isDiff := diff.Parse(b.Detail)
	if isDiff {
		added, removed := file.Stat()
		facts += fmt.Sprintf(" · +%d −%d", added, removed)
	}
	if b.Duration > 0 {
		facts += " · " + b.Duration.Round(time.Millisecond).String()
	}
	isDiff = isDiff && !p.Omit[Files]
	p.startCall(call, facts+" · ~"+tokens(b.Size)+" tokens", isDiff, failed)
	text, omit := b.Text, p.Omit[Output] || p.Omit[Files] && b.Tool != conversation.ToolRunCommand
	if b.Total > 0 {
		if full, ok := p.Text(b.Blob); ok {
			text = full
		}
		p.put("<p class=\"faint\">%s characters, of which the model was shown a part</p>", numbers.Grouped(b.Total))
	}
	if isDiff {
		p.writeDiff(file)
	} else {
		p.writePre(text, omit)
	}
	p.writeImages(b.Images)
	p.put("</details>")
	p.endMessage(omit)
}

// startCall opens the fold of a call with its arguments; a diff, which is unfolded, says what they say.
func (p *page) startCall(c conversation.ToolCall, facts string, isDiff, failed bool) {
	class := map[bool]markup{true: " failed"}[failed]
	open := map[bool]markup{true: " open"}[isDiff]
	subject := c.Subject()
	if p.Omit[Files] && strings.HasPrefix(c.Arguments, `{"_invalid":`) { // it is all of them
		subject = ""
	}
	p.put("<article class=\"call%s\"><details%s><summary><b>%s</b> <code>%s</code><span class=\"faint\">%s</span></summary>",
		class, open, conversation.ToolVerb(c.Name, true), conversation.OneLine(p.clean(subject), 120), facts)
	var arguments bytes.Buffer
	if !isDiff && c.Arguments != "{}" && json.Indent(&arguments, []byte(c.Arguments), "", "  ") == nil {
		p.writePre(arguments.String(), p.Omit[Files])
	}
}

// endCalls writes the calls that got no result.
func (p *page) endCalls() {
	for _, c := range p.open {
		p.startCall(c, " · no result", false, true)
		p.put("</details></article>\n")
	}
	p.open = nil
}

func (p *page) writeDiff(f diff.File) {
	p.put("<pre class=\"diff\">")
	for _, h := range f.Hunks {
		p.put("<i>@@ line %d</i>\n", h.New)
		for _, l := range h.Lines {
			tag := map[diff.Op]markup{diff.Added: "ins", diff.Removed: "del", diff.Kept: "span"}[l.Op]
			p.put("<%s>%s</%s>\n", tag, string(l.Op)+strings.TrimRight(l.Text, "\r\n"), tag)
		}
	}
	if f.Cut > 0 {
		p.put("<i>%s more</i>", numbers.Count(f.Cut, "line"))
	}
	p.put("</pre>")
}

// tokens is the estimated size of a text.
func tokens(s conversation.Size) string { return numbers.Tokens(int(meter.Estimate(s))) }

// endMessage ends a message with how the model is sent it now, if not as it was, and the text that is sent in its place. What a
// summary replaces in a turn says so once.
func (p *page) endMessage(omit bool) {
	r := p.rows[0]
	p.rows = p.rows[1:]
	isSame := r.State == projection.StateSummarised && r.Overlay == p.summary
	if p.summary = r.Overlay; r.State != projection.StateVerbatim && r.State != projection.StatePinned && !isSame {
		p.writeSent(r, omit)
	}
	p.put("</article>\n")
}

func (p *page) writeSent(r inspect.HistoryRow, omit bool) {
	word := markup(r.State.Word())
	if i := conversation.IndexOf(p.Events, r.Overlay); i >= 0 {
		if epoch := conversation.EpochOf(p.Events[i]); p.entries[epoch].Kind == inspect.EntryEpoch {
			word = markup(fmt.Sprintf(`<a href="#c%d">%s</a>`, epoch, word))
		}
	}
	p.put("<aside class=\"sent\"><b>sent now:</b> %s", word)
	if r.Message >= 0 && r.ShowsMessage && r.State != projection.StateSummarised && len(p.view.Messages[r.Message].Events) == 1 {
		m := &p.view.Messages[r.Message]
		p.put(" <span class=\"faint\">~%s → ~%s tokens</span>", tokens(r.Before), tokens(r.After))
		p.writePre(m.Text, omit)
	}
	p.put("</aside>")
}

// entryTexts say what entries other than compactions did.
var entryTexts = map[inspect.EntryKind]string{
	inspect.EntryUndo: "A compaction was undone: its turns are sent again.", inspect.EntryRedo: "A compaction was redone.",
	inspect.EntryPin: "Pinned: never compacted.", inspect.EntryUnpin: "A pin was removed.",
	inspect.EntryRewind: "Turns were undone.", inspect.EntryRestore: "Undone turns were redone.",
}

// writeEntry writes a compaction as a card, and any other change as a line.
func (p *page) writeEntry(e inspect.Entry) {
	switch e.Kind {
	case inspect.EntryEpoch:
		p.writeCompaction(e)
	case inspect.EntryAttempt:
		p.put("<p class=\"event failed\">A compaction did not take place (%s): %s</p>\n", string(e.Result), e.Why)
	default:
		p.put("<p class=\"event\">%s</p>\n", entryTexts[e.Kind])
	}
}

func (p *page) writeCompaction(e inspect.Entry) {
	verb := "Compacted"
	if e.Result == inspect.ResultUndone {
		verb = "Compacted and undone"
	}
	p.put("<article class=\"compaction\" id=\"c%d\"><h3>%s</h3>", e.Event, verb)
	if e.Before > 0 {
		bar := `<svg class="bar" width="%d" height="10" aria-hidden="true"><rect width="100%%" height="10"/></svg>`
		p.put("<p>%s "+bar+" → %s "+bar+"</p>", numbers.Tokens(e.Before), scale, numbers.Tokens(e.After), max(2, scale*min(max(e.After, 0), e.Before)/e.Before))
	}
	facts := strings.TrimSuffix(strings.Replace(string(e.Source), "auto", "automatic", 1)+", "+e.Trigger, ", ")
	why := e.Why
	if turns, rest, _ := strings.Cut(why, ", "); strings.HasPrefix(turns, "turn") { // the list below says so, and counts from 1
		why = rest
	}
	facts += strings.TrimSuffix(" · "+why, " · ")
	if e.CostUSD != nil && *e.CostUSD > 0 {
		facts += fmt.Sprintf(" · cost $%.4f", *e.CostUSD)
	}
	p.put("<p class=\"faint\">%s</p><ul>", facts)
	for i := conversation.IndexOf(p.Events, e.Event); i < len(p.Events) && conversation.EpochOf(p.Events[i]) == e.Event; i++ {
		p.writeOverlay(p.Events[i].Body)
	}
	p.put("</ul></article>\n")
}

// writeOverlay says what one part of a compaction made of which turns, with the text that is sent in their place.
func (p *page) writeOverlay(body conversation.Body) {
	what := ""
	switch b := body.(type) {
	case conversation.Summary:
		if b.Policies != nil && b.Text == "" {
			p.put("<li>calls and thinking of %s were shortened</li>", numbers.Turns(b.FromTurn+1, b.ToTurn+1))
			return
		}
		if what = "a note"; b.Model != "" {
			what = "a summary by " + b.Model
		}
		p.put("<li>%s became %s<details><summary>what is sent%s</summary>",
			numbers.Turns(b.FromTurn+1, b.ToTurn+1), what, size(len(b.Text)+len(b.Appendix)))
		p.writeMarkdown(b.Text)
		p.writePre(b.Appendix, false)
		p.put("</details></li>")
		return
	case conversation.Mask:
		what = numbers.Count(len(b.Items), "placeholder") + " in place of results or arguments"
	case conversation.Cap:
		what = numbers.Count(len(b.Items), "text") + " cut to beginning and end"
	case conversation.Drop:
		what = "messages that are not sent any more"
	}
	from, to := len(p.Events), 0 // no log has more turns than events
	for _, s := range conversation.SpansOf(body) {
		for _, seq := range []uint64{s.First, s.Last} {
			if i := conversation.IndexOf(p.Events, seq); i >= 0 {
				from, to = min(from, p.Events[i].Turn), max(to, p.Events[i].Turn)
			}
		}
	}
	p.put("<li>%s: %s</li>", numbers.Turns(from+1, to+1), what)
}

package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"plimsoll/cli/session"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
)

// A conversation as Markdown: a heading for each turn; messages as quotations, whose end closes any Markdown left open in them;
// reasoning folded; calls and results in fences that their text cannot close.

// writeMarkdown writes a conversation as Markdown; safe makes it safe for a terminal.
func writeMarkdown(w io.Writer, x *exported, safe bool) error {
	m := &markdownWriter{w: w, safe: safe, text: x.Text, turn: -1}
	m.head(x)
	for _, e := range x.Events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			m.begin(e, "User")
			m.user(b)
		case conversation.AssistantMessage:
			m.begin(e, "Assistant")
			m.reply(b)
		case conversation.ToolResult:
			m.begin(e, "Assistant")
			m.result(b)
		case conversation.TurnFailed:
			m.begin(e, "Assistant")
			m.block("*The turn failed: " + escapeMarkdown(plain.Line(strings.TrimSuffix(b.Message+" ("+b.Hint+")", " ()"))) + "*")
		}
	}
	return m.err
}

// markdownWriter writes block after block until the first error.
type markdownWriter struct {
	w    io.Writer
	safe bool
	text func(name string) (string, bool)
	err  error
	turn int    // of the newest heading
	who  string // of the newest heading
}

// block writes a block and a blank line after it.
func (m *markdownWriter) block(text string) {
	if m.err != nil || text == "" {
		return
	}
	if m.safe {
		text = plain.Text(text)
	}
	_, m.err = io.WriteString(m.w, strings.TrimRight(text, "\n")+"\n\n")
}

const minutes = "2006-01-02 15:04 MST"

func (m *markdownWriter) head(x *exported) {
	name := strings.Join(strings.Fields(session.Title(x.Events)), " ")
	if name == "" {
		name = "Conversation " + x.id
	}
	m.block("# " + escapeMarkdown(name))
	users, model := 0, ""
	for _, e := range x.Events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			users++
		case conversation.AssistantMessage:
			if b.Model != "" {
				model = b.Model
			}
		}
	}
	line := fmt.Sprintf("Conversation %s, %s", x.id, numbers.Count(users, "turn"))
	if model != "" {
		line += ", with " + codeSpan(model)
	}
	if n := len(x.Events); n > 0 {
		line += ", " + x.Events[0].Time.UTC().Format(minutes)
	}
	m.block(line + ".")
}

// begin writes the headings above an event, if they differ from those of the event before.
func (m *markdownWriter) begin(e conversation.Event, who string) {
	if e.Turn != m.turn {
		m.block(fmt.Sprintf("## Turn %d", e.Turn))
		m.turn, m.who = e.Turn, ""
	}
	if who != m.who {
		m.block("### " + who)
		m.who = who
	}
}

func (m *markdownWriter) user(b conversation.UserMessage) {
	said, files := conversation.SplitAttachments(b.Text)
	m.block(quote(said))
	for _, f := range files {
		m.block("Attached " + codeSpan(f.Path) + ":")
		m.block(fence("", f.Text))
	}
}

func (m *markdownWriter) reply(b conversation.AssistantMessage) {
	if strings.TrimSpace(b.Reasoning) != "" {
		m.block("<details>\n<summary>Reasoning</summary>")
		m.block(quote(b.Reasoning))
		m.block("</details>")
	}
	if strings.TrimSpace(b.Text) != "" {
		m.block(quote(b.Text))
	}
	for _, c := range b.Calls {
		m.block("Call of " + codeSpan(c.Name) + ":")
		m.block(fence("json", indented(c.Arguments)))
	}
	if b.Stop != conversation.StopEnd && b.Stop != conversation.StopCalls && b.Stop != "" {
		why := strings.TrimSuffix(": "+escapeMarkdown(plain.Line(b.Error)), ": ")
		m.block(fmt.Sprintf("*The reply ended early (%s)%s*", b.Stop, why))
	}
}

func (m *markdownWriter) result(b conversation.ToolResult) {
	label, text := "Result of "+codeSpan(b.Tool), b.Text
	if b.Status != conversation.ResultOK && b.Status != "" {
		label += " (" + string(b.Status) + ")"
	}
	if b.Total > 0 {
		if full, ok := m.text(b.Blob); ok {
			text = full
		}
		label += fmt.Sprintf(", %s characters, of which the model was shown a part", numbers.Grouped(b.Total))
	}
	if strings.TrimSpace(text) == "" {
		m.block(label + ": no output")
		return
	}
	m.block(label + ":")
	m.block(fence("", text))
}

// indented is indented JSON, or the text itself if it is not JSON.
func indented(text string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

// fence is text in a code fence that no line of it can close.
func fence(language, text string) string {
	marks := backquotes(text, 3)
	return marks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + marks
}

// codeSpan is text on one line as code.
func codeSpan(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return "(unnamed)"
	}
	marks := backquotes(text, 1)
	if len(marks) > 1 {
		text = " " + text + " "
	}
	return marks + text + marks
}

// backquotes are at least that many, and more than any run of them in text.
func backquotes(text string, least int) string {
	marks := strings.Repeat("`", least)
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks
}

var special = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[\\\\`*_{}\\[\\]<>#|~&]")
})

// escapeMarkdown is text that Markdown shows as it is.
func escapeMarkdown(text string) string { return special().ReplaceAllString(text, `\$0`) }

// swallowing matches HTML that would close a fold, or hide what follows it.
var swallowing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<(/?(?:details|summary|script|style|pre|textarea|template|iframe|title)\b|!)`)
})

// quote is Markdown as a quotation. HTML outside of fences is escaped if it would affect text after the quotation.
func quote(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		begin := strings.TrimLeft(line, " ")
		if strings.HasPrefix(begin, "```") || strings.HasPrefix(begin, "~~~") {
			fenced = !fenced
		} else if !fenced {
			line = swallowing().ReplaceAllString(line, `&lt;$1`)
		}
		b.WriteString(strings.TrimSuffix("> "+strings.TrimSuffix(line, "\n"), " ") + "\n")
	}
	return b.String()
}

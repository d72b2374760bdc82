package storage

import (
	"strings"
	"time"
	"unicode"

	"plimsoll/conversation"
)

// Entry describes a conversation in a list. It is derived from the events and can always be
// rebuilt from them.
type Entry struct {
	ID           string    `json:"id"`
	Workspace    string    `json:"workspace,omitempty"`
	Title        string    `json:"title,omitempty"`    // set by the user or the program, "" if not set
	Model        string    `json:"model,omitempty"`    // provider/id used last
	BaseURL      string    `json:"base_url,omitempty"` // where Model was reached, "" if not recorded
	FirstMessage string    `json:"first,omitempty"`    // beginning of the first user message, as one line
	Created      time.Time `json:"created"`            // time of the first event
	Updated      time.Time `json:"updated"`            // time of the newest event
	Turns        int       `json:"turns"`              // user messages
	Events       int       `json:"events"`
	// Parent is the conversation that started this one as a task, "" for one of the user.
	Parent string `json:"parent,omitempty"`
	// Problem is why the conversation cannot be read, "" if it can. With a problem,
	// only ID and Updated are sure to be set.
	Problem string `json:"problem,omitempty"`
	// OpenElsewhere reports that another program, or another store of this one,
	// has the conversation open for writing.
	OpenElsewhere bool `json:"-"`
	// Bytes is the size of its file.
	Bytes int64 `json:"-"`
}

// firstLimit is how many characters of the first user message an entry keeps.
const firstLimit = 200

// headingLimit is how many characters of it replace a missing title.
const headingLimit = 60

// Heading is the title or, without one, the beginning of the first user message.
func (e Entry) Heading() string {
	switch {
	case e.Title != "":
		return e.Title
	case e.Problem != "":
		return "(cannot be read)"
	}
	r := []rune(e.FirstMessage)
	if len(r) <= headingLimit {
		return e.FirstMessage
	}
	return strings.TrimRightFunc(string(r[:headingLimit-1]), unicode.IsSpace) + "…"
}

// add updates the entry with events that follow those added so far.
func (e *Entry) add(events []conversation.Event) {
	for _, ev := range events {
		if e.Events == 0 {
			e.Created = ev.Time
		}
		e.Events++
		e.Updated = ev.Time
		switch b := ev.Body.(type) {
		case conversation.UserMessage:
			if e.Turns == 0 {
				e.FirstMessage = oneLine(b.Text, firstLimit)
			}
			e.Turns++
		case conversation.Renamed:
			e.Title = oneLine(b.Title, firstLimit)
		case conversation.TaskStarted:
			if b.Conversation == e.ID { // a copy is the user's own
				e.Parent = b.Parent
			}
		case conversation.ModelChanged:
			e.Model, e.BaseURL = b.Name(), b.BaseURL
		case conversation.AssistantMessage:
			if b.Model != "" && b.Model != e.Model {
				e.Model, e.BaseURL = b.Model, ""
			}
		}
	}
}

// hasSameContent reports whether two entries agree in all that is derived from the events.
func (e Entry) hasSameContent(o Entry) bool {
	if !e.Created.Equal(o.Created) || !e.Updated.Equal(o.Updated) {
		return false
	}
	e.Created, e.Updated, o.Created, o.Updated = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	e.OpenElsewhere, o.OpenElsewhere = false, false
	return e == o
}

// oneLine returns the first limit characters of text, with every run of white space and control
// characters replaced by one space.
func oneLine(text string, limit int) string {
	var b strings.Builder
	space := false
	for _, r := range text {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			limit--
			space = false
		}
		if limit <= 0 {
			break
		}
		b.WriteRune(r)
		limit--
	}
	return b.String()
}

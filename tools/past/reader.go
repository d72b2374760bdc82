// Package past answers from what a conversation once held, whatever overlays hide now:
// the original of something by its id, and everything that holds some words.
//
// An id is an event (e41), a turn or turns (t3, t3-7), the id of a tool call, or the name
// of a stored text. An overlay stands for what it hides, and a result of recall for what
// was recalled, so that there are no chains. An answer says which characters of how many
// it shows and how to go on. A miss lists what comes close and never sends the model to
// do its work a second time. What is still shown in full is pointed to.
package past

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"plimsoll/conversation"
)

// Reader answers from one conversation. It is safe for concurrent use. Each question may be
// asked maxLookups times in a turn, and what a turn has been given once is not given a
// second time, unless an overlay came since that may have hidden it.
type Reader struct {
	archive Archive
	most    func() int              // characters an answer may have now
	visible func(event uint64) bool // nil: never

	mu    sync.Mutex // guards what follows
	turn  int
	asked map[string]int     // by tool, in that turn
	given map[question]given // in that turn
}

// maxLookups is how often [Reader.Recall], and how often [Reader.Search], answers in one
// turn.
const maxLookups = 8

// New reads from an archive; nil has nothing. most is how many characters an answer may
// have now, visible reports whether the model is shown an event in full; nil: never.
func New(archive Archive, most func() int, visible func(event uint64) bool) *Reader {
	return &Reader{archive: archive, most: most, visible: visible, asked: map[string]int{}, given: map[question]given{}}
}

// Answer is what a question gives.
type Answer struct {
	Text   string
	Detail string // why it is no original, "" if it is one
}

// Recall gives back the original of what an id stands for, or the lines of it that hold a
// query: from a character on, at most limit characters. Without an id it lists what is
// hidden.
func (r *Reader) Recall(ctx context.Context, id, query string, offset, limit int) (Answer, error) {
	l, err := r.read(ctx)
	if err != nil {
		return Answer{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spent(conversation.ToolRecall, l.turn()) {
		return Answer{fmt.Sprintf("%d originals were asked for in this turn, which is the most. Go on with what they gave, and say what could not be looked up. "+
			"search_history finds single lines; after the user's next message recall answers as before", maxLookups), "the most in one turn"}, nil
	}
	most := r.most()
	if id == "" {
		return Answer{Text: l.contents(most)}, nil
	}
	at, err := l.find(id)
	if err != nil {
		return Answer{}, err
	}
	if text, ok := l.inView(at); ok {
		return Answer{text, "still in view"}, nil
	}
	q := question{tool: conversation.ToolRecall, id: at.id, query: strings.TrimSpace(query), offset: offset}
	return r.once(l, q, limit, at.id, func() (part, error) {
		o, err := l.original(at, q.query != "")
		if err != nil {
			return part{}, err
		}
		if q.query != "" {
			return o.search(q.query, offset, limit, most)
		}
		return o.page(offset, limit, most)
	})
}

// Search lists events that hold all words of a query, leaving out the first offset, at most limit.
func (r *Reader) Search(ctx context.Context, query string, offset, limit int) (Answer, error) {
	l, err := r.read(ctx)
	if err != nil {
		return Answer{}, err
	}
	s, err := newSearch(l, query)
	if err != nil {
		return Answer{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.spent(conversation.ToolSearchHistory, l.turn()) {
		return Answer{fmt.Sprintf("%d searches were made in this turn, which is the most. Go on with what they found, and say what could not be looked up", maxLookups),
			"the most in one turn"}, nil
	}
	q := question{tool: conversation.ToolSearchHistory, query: s.phrase, offset: offset}
	return r.once(l, q, limit, "the answer", func() (part, error) {
		if err := s.run(); err != nil {
			return part{}, err
		}
		return s.answer(offset, limit, r.most())
	})
}

// question is one thing asked of a tool.
type question struct {
	tool, id, query string
	offset          int
}

// given is how a question was answered.
type given struct {
	overlay uint64 // Seq of the newest overlay then
	limit   int    // most that was wanted
	next    int    // offset to go on from, -1 if nothing is left
}

// read loads the conversation for one call of a tool.
func (r *Reader) read(ctx context.Context) (*log, error) {
	if r.archive == nil {
		return nil, errors.New("this conversation keeps no originals")
	}
	events, err := r.archive.Events(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the conversation: %w", err)
	}
	return &log{ctx: ctx, archive: r.archive, visible: r.visible, events: events}, nil
}

// spent counts a call of a tool and reports whether the turn has had its share.
// The caller holds mu.
func (r *Reader) spent(tool string, turn int) bool {
	if turn != r.turn {
		r.turn = turn
		clear(r.asked)
		clear(r.given)
	}
	r.asked[tool]++
	return r.asked[tool] > maxLookups
}

// once answers a question unless this turn has its answer already; then a note
// says so. what names the thing in that note. The caller holds mu.
func (r *Reader) once(l *log, q question, limit int, what string, find func() (part, error)) (Answer, error) {
	overlay := l.newestOverlay()
	if g, ok := r.given[q]; ok && g.overlay == overlay && (g.next < 0 || limit <= g.limit) {
		text := what + " was given in this turn already, with the same query and offset; it stands above. Read it there"
		if g.next >= 0 {
			text += fmt.Sprintf(", or go on with offset %d", g.next)
		}
		return Answer{text, "given already in this turn"}, nil
	}
	a, err := find()
	if err != nil {
		return Answer{}, err
	}
	r.given[q] = given{overlay: overlay, limit: limit, next: a.next}
	return Answer{Text: a.text}, nil
}

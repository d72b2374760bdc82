package replay

import (
	"context"
	"math"
	"slices"

	"plimsoll/conversation"
)

// The index of a conversation holds what the recorded model needed: the references, anchors and written lines of
// every request, and the instructions of the user. Each of them is a fact: a text that some messages contain. A view shows a
// fact if it has one of these messages in full, or another text that contains the fact.

// index is read-only after newIndex.
type index struct {
	facts        []string  // by fact
	finder       *finder   // finds facts
	inMessage    [][]int32 // by recorded message: the facts in it
	messagesWith [][]int32 // by fact: the recorded messages that contain it, ascending
	inPrompt     []int32   // facts in the system prompt
	binding      []binding // by recorded message: what it adds
	needs        []needs   // by request
}

// needs are the facts that a reply shows its model used.
type needs struct {
	references []reference
	anchors    [][]int32 // groups of facts that all had to be shown
	written    []int32
}

// reference is an identifier in a reply that an earlier message contains.
type reference struct {
	fact int32
	tool bool // only results contained it before
}

// newIndex builds the index of a conversation. The error is that of ctx.
func newIndex(ctx context.Context, c *Conversation) (*index, error) {
	x := &indexer{c: c, ids: map[string]int32{}, index: &index{binding: make([]binding, len(c.messages))}}
	raw := make([]needs, len(c.requests))
	for i, q := range c.requests {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		raw[i] = x.namedBy(q)
	}
	x.findBinding()
	if err := x.findFacts(ctx); err != nil {
		return nil, err
	}
	for i, q := range c.requests {
		x.index.needs = append(x.index.needs, x.availableBefore(raw[i], q.from))
	}
	return x.index, nil
}

// neverSeen stands for a message after the last one.
const neverSeen = math.MaxInt32

type indexer struct {
	c           *Conversation
	index       *index
	ids         map[string]int32
	searched    []searchText
	inJSON      []bool // by fact: its JSON form is searched for too
	inPrompt    map[int32]bool
	firstResult []int32 // by fact: the first tool result that contains it, or neverSeen
	firstOther  []int32 // by fact: the first user message or reply that contains it, or neverSeen
}

// fact returns the number of a text. For lines, the JSON form is searched for too, as in arguments.
func (x *indexer) fact(text string, line bool) int32 {
	id, known := x.ids[text]
	if !known {
		id = int32(len(x.index.facts))
		x.ids[text] = id
		x.index.facts = append(x.index.facts, text)
		x.inJSON = append(x.inJSON, false)
		x.searched = append(x.searched, searchText{text, id})
	}
	if line && !x.inJSON[id] {
		x.inJSON[id] = true
		if escaped := asJSON(text); escaped != text {
			x.searched = append(x.searched, searchText{escaped, id})
		}
	}
	return id
}

func (x *indexer) lines(lines []string) []int32 {
	var out []int32
	for _, line := range countedLines(lines) {
		out = append(out, x.fact(line, true))
	}
	return out
}

// namedBy returns all names, anchors and lines in a reply, whether or not earlier messages contain them.
func (x *indexer) namedBy(q request) needs {
	var n needs
	seen := map[int32]bool{}
	name := func(id string) {
		if f := x.fact(id, false); !seen[f] {
			seen[f] = true
			n.references = append(n.references, reference{fact: f})
		}
	}
	for _, s := range x.c.messages[q.from:q.to] {
		reply, _ := s.body.(conversation.AssistantMessage) // a request's messages are replies
		identifiers(reply.Text, name)
		for _, call := range reply.Calls {
			texts(call.Arguments, func(text string) { identifiers(text, name) })
			for _, lines := range anchors(call) {
				if facts := x.lines(lines); len(facts) > 0 {
					n.anchors = append(n.anchors, facts)
				}
			}
			n.written = append(n.written, x.lines(writtenLines(call))...)
		}
	}
	return n
}

// findFacts searches all recorded messages for all facts.
func (x *indexer) findFacts(ctx context.Context) error {
	ix := x.index
	ix.finder = newFinder(x.searched)
	ix.inMessage = make([][]int32, len(x.c.messages))
	ix.messagesWith = make([][]int32, len(ix.facts))
	x.firstOther, x.firstResult = slices.Repeat([]int32{neverSeen}, len(ix.facts)), slices.Repeat([]int32{neverSeen}, len(ix.facts))
	ix.inPrompt = ix.finder.find(x.c.system)
	for i := range x.c.messages {
		if err := ctx.Err(); err != nil {
			return err
		}
		ix.inMessage[i] = ix.finder.find(searchTexts(x.c.messages[i].body)...)
		first := x.firstOther
		if _, ok := x.c.messages[i].body.(conversation.ToolResult); ok {
			first = x.firstResult
		}
		for _, f := range ix.inMessage[i] {
			ix.messagesWith[f] = append(ix.messagesWith[f], int32(i))
			first[f] = min(first[f], int32(i))
		}
	}
	x.inPrompt = map[int32]bool{}
	for _, f := range ix.inPrompt {
		x.inPrompt[f] = true
	}
	return nil
}

func searchTexts(body conversation.Body) []string {
	switch b := body.(type) {
	case conversation.UserMessage:
		return []string{b.Text}
	case conversation.ToolResult:
		return []string{b.Text}
	case conversation.AssistantMessage:
		return textsOf(b.Text, b.Calls)
	}
	return nil
}

// availableBefore returns those needs of a reply that earlier messages contain.
func (x *indexer) availableBefore(n needs, before int) needs {
	var out needs
	for _, r := range n.references {
		if occurs, resultsOnly := x.occursBefore(r.fact, before); occurs {
			r.tool = resultsOnly
			out.references = append(out.references, r)
		}
	}
	for _, facts := range n.anchors {
		all := true
		for _, f := range facts {
			occurs, _ := x.occursBefore(f, before)
			all = all && occurs
		}
		if all {
			out.anchors = append(out.anchors, facts)
		}
	}
	for _, f := range n.written {
		if x.inResultBefore(f, before) {
			out.written = append(out.written, f)
		}
	}
	return out
}

// occursBefore reports whether the system prompt or an earlier message contains a fact, and whether only results do.
func (x *indexer) occursBefore(fact int32, before int) (occurs, resultsOnly bool) {
	if x.inPrompt[fact] || int(x.firstOther[fact]) < before {
		return true, false
	}
	resulted := x.inResultBefore(fact, before)
	return resulted, resulted
}

func (x *indexer) inResultBefore(fact int32, before int) bool {
	return int(x.firstResult[fact]) < before
}

package replay

import (
	"context"
	"math"
	"slices"

	"plimsoll/conversation"
)

// What the recorded model needed, found once for a conversation: every request's
// references, anchors and written lines, and the instructions of the user. Each
// is a fact, a text that stands in some messages; whether it is in a view says
// whether one of those stands there whole, or what else stands there holds it.

// index is read only once it is made.
type index struct {
	facts        []string  // by fact
	finder       *finder   // finds facts
	inMessage    [][]int32 // by message said: the facts in it
	holders      [][]int32 // by fact: the messages said that hold it, ascending
	prompted     []int32   // facts in the system prompt
	instructions [][]int32 // by message said: instructions that it was the first to give
	needs        []needs   // by request
}

// needs is what a reply shows that its model used.
type needs struct {
	references []reference
	anchors    [][]int32 // facts that had to be seen together
	written    []int32
}

// reference is an identifier that a reply names and that stood earlier.
type reference struct {
	fact int32
	tool bool // earlier it stood in results only
}

// newIndex finds what the recorded model needed. The error is that of ctx.
func newIndex(ctx context.Context, c *Conversation) (*index, error) {
	x := &indexer{c: c, ids: map[string]int32{}, index: &index{instructions: make([][]int32, len(c.messages))}}
	raw := make([]needs, len(c.requests))
	for i, q := range c.requests {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		raw[i] = x.namedBy(q)
	}
	x.instructions()
	if err := x.findFacts(ctx); err != nil {
		return nil, err
	}
	for i, q := range c.requests {
		x.index.needs = append(x.index.needs, x.availableBefore(raw[i], q.from))
	}
	return x.index, nil
}

// neverSeen is behind every message.
const neverSeen = math.MaxInt32

// indexer makes an index.
type indexer struct {
	c       *Conversation
	index   *index
	ids     map[string]int32
	needles []searchText
	inJSON  []bool // by fact: it has a needle as it stands in JSON
	prompt  map[int32]bool
	results []int32 // by fact: the first result that holds it, or nowhere
	said    []int32 // by fact: the first message that is no result and holds it, or nowhere
}

// fact is the number of a text. Lines are also looked for as they stand in
// arguments.
func (x *indexer) fact(text string, line bool) int32 {
	id, known := x.ids[text]
	if !known {
		id = int32(len(x.index.facts))
		x.ids[text] = id
		x.index.facts = append(x.index.facts, text)
		x.inJSON = append(x.inJSON, false)
		x.needles = append(x.needles, searchText{text, id})
	}
	if line && !x.inJSON[id] {
		x.inJSON[id] = true
		if escaped := asJSON(text); escaped != text {
			x.needles = append(x.needles, searchText{escaped, id})
		}
	}
	return id
}

// lines are the facts of lines.
func (x *indexer) lines(lines []string) []int32 {
	var out []int32
	for _, line := range countedLines(lines) {
		out = append(out, x.fact(line, true))
	}
	return out
}

// namedBy is all that a reply names, whether it stood earlier or not.
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

// instructions finds what the user demands, each sentence once.
func (x *indexer) instructions() {
	seen := map[int32]bool{}
	for i, s := range x.c.messages {
		b, user := s.body.(conversation.UserMessage)
		if !user || s.isLateSystem {
			continue
		}
		for _, sentence := range instructions(b.Text) {
			if f := x.fact(sentence, false); !seen[f] {
				seen[f] = true
				x.index.instructions[i] = append(x.index.instructions[i], f)
			}
		}
	}
}

// findFacts looks for all facts in all that was said.
func (x *indexer) findFacts(ctx context.Context) error {
	ix := x.index
	ix.finder = newFinder(x.needles)
	ix.inMessage = make([][]int32, len(x.c.messages))
	ix.holders = make([][]int32, len(ix.facts))
	x.said, x.results = slices.Repeat([]int32{neverSeen}, len(ix.facts)), slices.Repeat([]int32{neverSeen}, len(ix.facts))
	ix.prompted = ix.finder.find(x.c.system)
	for i := range x.c.messages {
		if err := ctx.Err(); err != nil {
			return err
		}
		ix.inMessage[i] = ix.finder.find(searchTexts(x.c.messages[i].body)...)
		first := x.said
		if _, ok := x.c.messages[i].body.(conversation.ToolResult); ok {
			first = x.results
		}
		for _, f := range ix.inMessage[i] {
			ix.holders[f] = append(ix.holders[f], int32(i))
			first[f] = min(first[f], int32(i))
		}
	}
	x.prompt = map[int32]bool{}
	for _, f := range ix.prompted {
		x.prompt[f] = true
	}
	return nil
}

// searchTexts is the texts of a message that are looked through.
func searchTexts(body conversation.Body) []string {
	switch b := body.(type) {
	case conversation.UserMessage:
		return []string{b.Text}
	case conversation.ToolResult:
		return []string{b.Text}
	case conversation.AssistantMessage:
		out := []string{b.Text}
		for _, c := range b.Calls {
			out = append(out, c.Name, c.Arguments)
		}
		return out
	}
	return nil
}

// availableBefore is what of a reply's needs stood before it.
func (x *indexer) availableBefore(n needs, before int) needs {
	var out needs
	for _, r := range n.references {
		if stood, results := x.occursBefore(r.fact, before); stood {
			r.tool = results
			out.references = append(out.references, r)
		}
	}
	for _, facts := range n.anchors {
		all := true
		for _, f := range facts {
			stood, _ := x.occursBefore(f, before)
			all = all && stood
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

// occursBefore reports whether a fact stood in what was said before a message, and
// whether it did so in results only.
func (x *indexer) occursBefore(fact int32, before int) (stood, resultsOnly bool) {
	if x.prompt[fact] || int(x.said[fact]) < before {
		return true, false
	}
	resulted := x.inResultBefore(fact, before)
	return resulted, resulted
}

// inResultBefore reports whether a fact stood in a result before a message.
func (x *indexer) inResultBefore(fact int32, before int) bool { return int(x.results[fact]) < before }

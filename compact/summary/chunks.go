package summary

import (
	"cmp"

	"plimsoll/compact/snippet"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Chunks splits a job with a transcript into jobs of at most budget estimated tokens
// each, in order. A job that fits, or whose input cannot be split (the view, JCL), is
// returned alone. The job should be made without a budget of its own, so that its
// transcript is complete.
func Chunks(job Job, budget int) []Job {
	if len(job.parts) == 0 || budget <= 0 || job.Tokens() <= budget {
		return []Job{job}
	}
	room := max(float64(budget)-requestOverhead(job.options.instructions(job.CoveredTokens, true)), minRoom)
	groups := groupEvenly(job.parts, room)
	total := 0.0
	for _, g := range groups {
		total += tokensOf(g)
	}
	out := make([]Job, len(groups))
	for i, g := range groups {
		out[i] = job.chunkJob(g, total, i, len(groups))
	}
	return out
}

// groupEvenly distributes parts over as few groups of at most room tokens as possible, all about
// equally large: the summary of a last group of a few lines would be longer than the
// group.
func groupEvenly(parts []part, room float64) [][]part {
	groups := groupParts(parts, room)
	const slack = 1.1 // cuts fall between parts
	if share := slack * tokensOf(parts) / float64(len(groups)); share < room {
		if alike := groupParts(parts, share); len(alike) == len(groups) {
			return alike
		}
	}
	return groups
}

func groupParts(parts []part, room float64) [][]part {
	var groups [][]part
	left := 0.0
	for _, p := range parts {
		for rest := true; rest; {
			var piece part
			piece, p, rest = p.split(room)
			n := piece.tokens()
			if n > left || len(groups) == 0 {
				groups, left = append(groups, nil), room
			}
			last := len(groups) - 1
			groups[last] = append(groups[last], piece)
			left -= n
		}
	}
	return groups
}

// split cuts a part in two if it has more than room tokens; more reports whether there is
// a second one.
func (p part) split(room float64) (first, second part, more bool) {
	if len(p.body) <= bytesPerToken*int(room+1) && p.tokens() <= room { // a longer one is not measured at every cut
		return p, part{}, false
	}
	first, second = p, p
	for n := room; ; n *= 0.9 { // what indenting adds depends on the lines
		first.body = prefixWithin(p.body, n)
		if first.tokens() <= room || n < 1 {
			break
		}
	}
	if first.body == "" { // the head alone fills the room: keep the part whole
		return p, part{}, false
	}
	second.body = p.body[len(first.body):]
	return first, second, true
}

func (j Job) chunkJob(parts []part, total float64, i, n int) Job {
	firstSeq, lastSeq := uint64(0), uint64(0)
	from, to := parts[0].turn, parts[0].turn
	for _, p := range parts {
		from, to = min(from, p.turn), max(to, p.turn)
		if p.seq != 0 {
			firstSeq = cmp.Or(firstSeq, p.seq)
			lastSeq = max(lastSeq, p.seq)
		}
	}
	whole := j
	j.Spans = nil
	for _, s := range whole.Spans {
		if s.First, s.Last = max(s.First, firstSeq), min(s.Last, lastSeq); s.First <= s.Last {
			j.Spans = append(j.Spans, s)
		}
	}
	j.FromTurn, j.ToTurn = from, to
	share := tokensOf(parts) / total
	j.CoveredTokens = int(float64(whole.CoveredTokens) * share)
	if j.options.MaxText > 0 { // the answers are joined to one text
		j.options.MaxText = max(int(float64(whole.options.MaxText)*share), 1)
	}
	j.parts = nil
	return j.withTranscript(parts, "This is piece "+numbers.Grouped(i+1)+" of "+numbers.Grouped(n)+" of a longer conversation; write a summary of this piece alone.", 0)
}

func tokensOf(parts []part) float64 {
	total := 0.0
	for _, p := range parts {
		total += p.tokens()
	}
	return total
}

// JoinAnswers returns the answers to the chunks of a job as one: their texts in order, and the
// first stop reason of an unfinished one.
func JoinAnswers(answers []Answer) Answer {
	var all Answer
	for i, a := range answers {
		if i == 0 {
			all = a
			all.Text = snippet.Join(a.Text, "")
			continue
		}
		all.Text = snippet.Join(all.Text, a.Text)
		all.Calls += a.Calls
		if all.Stop == conversation.StopEnd {
			all.Stop = a.Stop
		}
	}
	return all
}

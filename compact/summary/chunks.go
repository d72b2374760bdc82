package summary

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll/compact/snippet"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Chunks splits a job with a transcript into jobs of at most budget estimated tokens each, in order. It returns a job that fits
// alone, and also one whose input has no parts: a view, or the JSON of preset jcli. The job should be made without a budget of
// its own, so that its transcript is complete.
func Chunks(job Job, budget int) []Job {
	if len(job.parts) == 0 || budget <= 0 || job.Tokens() <= budget {
		return []Job{job}
	}
	room := max(float64(budget)-requestOverhead(job.options.instructions(job.CoveredTokens, true)), minRoom)
	groups := groupEvenly(job.parts, room)
	total := tokensOf(slices.Concat(groups...))
	out := make([]Job, len(groups))
	for i, g := range groups {
		out[i] = job.chunk(g, tokensOf(g)/total, i+1, len(groups))
	}
	return out
}

// groupEvenly distributes parts over as few groups of at most room tokens as possible. It makes them about equally large,
// because the summary of a last group of a few lines would be longer than the group.
func groupEvenly(parts []part, room float64) [][]part {
	groups := groupParts(parts, room)
	const slack = 1.1 // a group ends between parts, so it is seldom full
	if share := slack * tokensOf(parts) / float64(len(groups)); share < room {
		if even := groupParts(parts, share); len(even) == len(groups) {
			return even
		}
	}
	return groups
}

// groupParts fills one group after the other, and splits parts of more than room tokens.
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

// split cuts a part in two if it has more than room tokens; more reports whether there is a second one.
func (p part) split(room float64) (first, second part, more bool) {
	if len(p.body) <= bytesPerToken*int(room+1) && p.tokens() <= room { // the first check spares counting tokens of a long body
		return p, part{}, false
	}
	first, second = p, p
	for n := room; ; n *= 0.9 { // the tokens of a part include the indentation of its lines
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

// chunk returns the job for one of several groups of parts, number of count. share is its share of the tokens of all.
func (j Job) chunk(parts []part, share float64, number, count int) Job {
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
	j.CoveredTokens = int(float64(whole.CoveredTokens) * share)
	if j.options.MaxText > 0 { // the limit is for the joined answers
		j.options.MaxText = max(int(float64(whole.options.MaxText)*share), 1)
	}
	j.parts = nil
	return j.withTranscript(parts, "This is piece "+numbers.Grouped(number)+" of "+numbers.Grouped(count)+
		" of a longer conversation; write a summary of this piece alone.", 0)
}

func tokensOf(parts []part) float64 {
	total := 0.0
	for _, p := range parts {
		total += p.tokens()
	}
	return total
}

// JoinAnswers returns the answers to the chunks of a job as one. It has their texts in order, the sum of their calls, the stop
// reason of the first unfinished answer, and the rest of the first answer.
func JoinAnswers(answers []Answer) Answer {
	if len(answers) == 0 {
		return Answer{}
	}
	all := answers[0]
	all.Text = strings.TrimSpace(all.Text)
	for _, a := range answers[1:] {
		all.Text = snippet.Join(all.Text, a.Text)
		all.Calls += a.Calls
		if all.Stop == conversation.StopEnd {
			all.Stop = a.Stop
		}
	}
	return all
}

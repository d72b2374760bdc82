package plot

import (
	"cmp"
	"slices"
)

// Where labels stand. Each has offers: around its point, and further away at
// the end of a leader line. The best is taken one label after the other, then
// again in rounds until none wants to move. Since the first to choose matters,
// it is done in several orders, and the cheapest outcome counts. Rules:
//   - a label lies in the room, and on no other label, point or leader; a leader
//     crosses no other leader, label or point. What finds no such place has no
//     label, and is told of below the picture.
//   - labels like to be near their point, beside it rather than above, off the
//     line of the front, and away from points that are not theirs
//   - there is no chance in it, and no arithmetic that machines do differently

// placer finds a place for each label.
type placer struct {
	room   box       // labels stay inside
	lines  []segment // that labels should not lie on
	points []box     // by subject
	offers [][]tag   // by subject; empty where there are too many
	taken  []int     // by subject, the offer; -1 is none
}

const (
	clash     = 1 << 20 // price of what must not be
	onLine    = 30      // price of lying on a line
	nearOther = 26      // price of seeming to belong to another point

	maxRounds = 12
	maxLabels = 60 // of more points than this, the first have labels
)

// place gives each subject its label, nil where there is no room for one. Of
// outcomes that cost the same, the one where the first subjects chose first
// counts.
func place(room box, lines []segment, subjects []subject) []*tag {
	p := placer{room: room, lines: lines, offers: make([][]tag, len(subjects))}
	for _, s := range subjects {
		p.points = append(p.points, box{s.at.x, s.at.y, s.at.x, s.at.y}.grown(s.radius))
	}
	for i, s := range subjects[:min(len(subjects), maxLabels)] {
		p.offers[i] = p.offersFor(i, s)
	}
	var best []int
	least := 0
	for _, o := range orders(subjects) {
		if total := p.attempt(o); best == nil || total < least {
			best, least = p.taken, total
		}
	}
	out := make([]*tag, len(subjects))
	for i, k := range best {
		if k >= 0 {
			out[i] = &p.offers[i][k]
		}
	}
	return out
}

// orders lists the orders in which subjects choose: as they come, the other way
// round, and from each side of the picture.
func orders(subjects []subject) [][]int {
	given := make([]int, len(subjects))
	for i := range given {
		given[i] = i
	}
	by := func(key func(dot) int) []int {
		out := slices.Clone(given)
		slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(key(subjects[a].at), key(subjects[b].at)) })
		return out
	}
	back := slices.Clone(given)
	slices.Reverse(back)
	return [][]int{
		given, back,
		by(func(d dot) int { return d.x }), by(func(d dot) int { return -d.x }),
		by(func(d dot) int { return d.y }), by(func(d dot) int { return -d.y }),
	}
}

// attempt lets the labels choose in an order and returns what the outcome
// costs, with what is taken.
func (p *placer) attempt(order []int) int {
	p.taken = make([]int, len(p.points))
	for i := range p.taken {
		p.taken[i] = -1
	}
	for range maxRounds {
		if !p.settle(order) {
			break
		}
	}
	p.drop()
	p.fill()
	total := 0
	for i, k := range p.taken {
		if k < 0 {
			total += clash
		} else {
			total += p.price(i, p.offers[i][k])
		}
	}
	return total
}

// offersFor lists the places for a label that are free of all points.
func (p *placer) offersFor(i int, s subject) []tag {
	long := fit(s.label, longLabel, labelSize, s.bold)
	all := around(s, long)
	if short := fit(s.label, shortLabel, labelSize, s.bold); short != long {
		for _, t := range around(s, short) {
			t.price += shortened
			all = append(all, t)
		}
	}
	return slices.DeleteFunc(all, func(t tag) bool { return !t.box.inside(p.room) || p.hidesPoint(i, t) })
}

// hidesPoint reports whether a tag lies on a point, or its leader passes
// through one that is not its own. A point in the same place is not passed.
func (p *placer) hidesPoint(own int, t tag) bool {
	for k, b := range p.points {
		if b.grown(px).round(t.box) || k != own && t.leader != nil && b != p.points[own] && b.grown(px).cut(*t.leader) {
			return true
		}
	}
	return false
}

// settle lets each label take its best offer, and reports whether one moved.
func (p *placer) settle(order []int) bool {
	moved := false
	for _, i := range order {
		offers := p.offers[i]
		best, price := p.taken[i], 0
		if best >= 0 {
			price = p.price(i, offers[best])
		}
		for k, t := range offers {
			if n := p.price(i, t); best < 0 || n < price {
				best, price, moved = k, n, true
			}
		}
		p.taken[i] = best
	}
	return moved
}

// price is what a tag costs where the other labels are now.
func (p *placer) price(own int, t tag) int {
	n := t.price
	for k, b := range p.points {
		if k != own && t.box.meets(b.grown(7*px)) {
			n += nearOther
		}
	}
	for _, l := range p.lines {
		if t.box.cut(l) {
			n += onLine
		}
		if t.leader != nil && t.leader.crosses(l) {
			n += onLine / 4
		}
	}
	return n + clash*p.clashes(own, t)
}

// clashes counts the labels that a tag touches, or whose leader it does.
func (p *placer) clashes(own int, t tag) int {
	n := 0
	for k, taken := range p.taken {
		if k == own || taken < 0 {
			continue
		}
		o := p.offers[k][taken]
		switch {
		case t.box.meets(o.box),
			t.leader != nil && o.box.cut(*t.leader),
			o.leader != nil && t.box.cut(*o.leader),
			t.leader != nil && o.leader != nil && t.leader.crosses(*o.leader):
			n++
		}
	}
	return n
}

// drop takes labels away until none touches another: first those that touch
// most, of these the last.
func (p *placer) drop() {
	for {
		worst, most := -1, 0
		for i, taken := range p.taken {
			if taken < 0 {
				continue
			}
			if n := p.clashes(i, p.offers[i][taken]); n > 0 && n >= most {
				worst, most = i, n
			}
		}
		if worst < 0 {
			return
		}
		p.taken[worst] = -1
	}
}

// fill gives labels that were taken away a place that touches nothing, if there
// is one now.
func (p *placer) fill() {
	for i, offers := range p.offers {
		if p.taken[i] >= 0 {
			continue
		}
		best := clash
		for k, t := range offers {
			if n := p.price(i, t); n < best {
				p.taken[i], best = k, n
			}
		}
	}
}

// rank is the order in which marks choose the places of their labels: what
// matters first, then by how many are near.
func rank(marks []mark, at []dot) []int {
	const near = 90 * px
	crowd := make([]int, len(marks))
	for i, a := range at {
		for _, b := range at {
			if (box{a.x, a.y, a.x, a.y}).grown(near).meets(box{b.x, b.y, b.x + 1, b.y + 1}) {
				crowd[i]++
			}
		}
	}
	out := make([]int, len(marks))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int {
		return cmp.Or(order(marks[a].Emphasis, marks[b].Emphasis), order(marks[a].Front, marks[b].Front), cmp.Compare(crowd[b], crowd[a]))
	})
	return out
}

package plot

// The places that a label is offered: around its point, and on rings around it
// with a leader line; and all of these once more for a name cut short.

// tag is a label at a place that is on offer.
type tag struct {
	text   string
	box    box
	anchor string // of the text in the box: start, middle or end
	leader *segment
	price  int // of the place itself
}

// subject is a point that wants a label.
type subject struct {
	at     dot
	radius int
	label  string
	bold   bool
}

const (
	labelSize   = 13 // font size, pixels
	labelHeight = 16 * px
	labelBase   = 12 * px // from the top of a label to its base line
	longLabel   = 190 * px
	shortLabel  = 84 * px

	awayFrom  = 40  // price of having a leader
	shortened = 200 // price of a name cut short
)

// compass is sixteen directions, in thousandths.
var compass = []dot{
	{1000, 0}, {924, -383}, {707, -707}, {383, -924}, {0, -1000}, {-383, -924}, {-707, -707}, {-924, -383},
	{-1000, 0}, {-924, 383}, {-707, 707}, {-383, 924}, {0, 1000}, {383, 924}, {707, 707}, {924, 383},
}

// reaches are the lengths of leaders, from the middle of the point.
var reaches = []int{20 * px, 28 * px, 38 * px, 50 * px, 64 * px, 80 * px, 100 * px, 124 * px, 152 * px, 184 * px, 220 * px}

// around lists all places for a label, whatever is there.
func around(s subject, text string) []tag {
	w := extent(text, labelSize, s.bold)
	near, corner := s.radius+5*px, s.radius*7/10+2*px
	x, y := s.at.x, s.at.y
	out := []tag{
		tagAt(text, "start", dot{x + near, y}, w, 0, 0),
		tagAt(text, "end", dot{x - near, y}, w, 0, 5),
		tagAt(text, "middle", dot{x, y - s.radius - 2*px}, w, -1, 7),
		tagAt(text, "middle", dot{x, y + s.radius + 2*px}, w, 1, 8),
		tagAt(text, "start", dot{x + corner, y - corner}, w, -1, 12),
		tagAt(text, "start", dot{x + corner, y + corner}, w, 1, 13),
		tagAt(text, "end", dot{x - corner, y - corner}, w, -1, 14),
		tagAt(text, "end", dot{x - corner, y + corner}, w, 1, 15),
	}
	for _, reach := range reaches {
		for _, d := range compass {
			out = append(out, led(s, text, w, reach, d))
		}
	}
	return out
}

// led is a tag at the end of a leader line.
func led(s subject, text string, w, reach int, d dot) tag {
	along := func(n int) dot { return dot{s.at.x + n*d.x/1000, s.at.y + n*d.y/1000} }
	line := segment{along(s.radius + 2*px), along(reach)}
	end, price := line.b, awayFrom+reach/px
	var t tag
	switch {
	case d.x > 300:
		t = tagAt(text, "start", dot{end.x + 3*px, end.y}, w, 0, price)
	case d.x < -300:
		t = tagAt(text, "end", dot{end.x - 3*px, end.y}, w, 0, price)
	case d.y < 0:
		t = tagAt(text, "middle", dot{end.x, end.y - px}, w, -1, price)
	default:
		t = tagAt(text, "middle", dot{end.x, end.y + px}, w, 1, price)
	}
	t.leader = &line
	return t
}

// tagAt is a tag whose box touches a place: above it (-1), beside it (0) or
// below it (1).
func tagAt(text, anchor string, at dot, w, below, price int) tag {
	t := tag{text: text, anchor: anchor, price: price}
	switch anchor {
	case "start":
		t.box.x0 = at.x
	case "end":
		t.box.x0 = at.x - w
	default:
		t.box.x0 = at.x - w/2
	}
	t.box.x1 = t.box.x0 + w
	t.box.y0 = at.y + (below-1)*labelHeight/2
	t.box.y1 = t.box.y0 + labelHeight
	return t
}

package plot

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Whether labels touch cannot be read off the picture without knowing how wide
// they are, so the places are checked as they are found.

var testRoom = box{660, 980, 7360, 3540}

func anySubjects(t *rapid.T) []subject {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) subject {
		return subject{
			at:     dot{rapid.IntRange(testRoom.x0+inset, testRoom.x1-inset).Draw(t, "x"), rapid.IntRange(testRoom.y0+inset, testRoom.y1-inset).Draw(t, "y")},
			radius: rapid.SampledFrom([]int{pointRadius, oursRadius}).Draw(t, "radius"),
			label:  rapid.OneOf(rapid.StringMatching(`[a-z-]{1,12}`), rapid.StringMatching(`[A-Z ]{30,40}`)).Draw(t, "label"),
			bold:   rapid.Bool().Draw(t, "bold"),
		}
	}), 0, 20).Draw(t, "subjects")
}

func TestLabelsTouchNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		subjects := anySubjects(t)
		tags := place(testRoom, nil, subjects)
		for i, a := range tags {
			if a == nil {
				continue
			}
			if !a.box.inside(testRoom) {
				t.Fatalf("the label %q at %v leaves the room", a.text, a.box)
			}
			for k, s := range subjects {
				if distance(a.box, s.at) < float64(s.radius) {
					t.Fatalf("the label %q at %v lies on a point at %v", a.text, a.box, s.at)
				}
				if b := tags[k]; k != i && b != nil && a.box.meets(b.box) {
					t.Fatalf("the labels %q and %q lie on each other", a.text, b.text)
				}
				if b := tags[k]; k != i && b != nil && a.leader != nil && (b.box.cut(*a.leader) || b.leader != nil && a.leader.crosses(*b.leader)) {
					t.Fatalf("the leader of %q crosses %q or its leader", a.text, b.text)
				}
			}
		}
	})
}

// distance is how far a place is from a box.
func distance(b box, d dot) float64 {
	return math.Hypot(float64(max(b.x0-d.x, 0, d.x-b.x1)), float64(max(b.y0-d.y, 0, d.y-b.y1)))
}

func TestPointWithRoomHasItsLabelBesideIt(t *testing.T) {
	t.Parallel()
	tags := place(testRoom, nil, []subject{{at: dot{2000, 2000}, radius: pointRadius, label: "a"}, {at: dot{testRoom.x1 - inset, 3000}, radius: pointRadius, label: "right edge"}})
	if tags[0].anchor != "start" || tags[0].leader != nil || tags[0].box.y0+labelHeight/2 != 2000 {
		t.Errorf("the label is at %+v", tags[0])
	}
	if tags[1].anchor != "end" || tags[1].leader != nil {
		t.Errorf("the label at the edge is at %+v", tags[1])
	}
}

func TestCrowdGetsLeaders(t *testing.T) {
	t.Parallel()
	var crowd []subject
	for i := range 9 {
		crowd = append(crowd, subject{at: dot{2000 + i%3*240, 2000 + i/3*240}, radius: pointRadius, label: "policy"})
	}
	led := 0
	for i, tag := range place(testRoom, nil, crowd) {
		if tag == nil {
			t.Fatalf("point %d of a crowd has no label", i)
		}
		if tag.leader != nil {
			led++
		}
	}
	if led == 0 {
		t.Error("no label has a leader: the point in the middle cannot do without")
	}
}

func TestLabelsKeepOffLines(t *testing.T) {
	t.Parallel()
	at := dot{2000, 2000}
	level := segment{at, dot{5000, 2000}}
	tags := place(testRoom, []segment{level}, []subject{{at: at, radius: pointRadius, label: "a"}})
	if tags[0].box.cut(level) {
		t.Errorf("the label at %v lies on the line", tags[0].box)
	}
}

func TestLongNamesAreCutToFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[Wi日👨‍👩‍👧é ]{0,60}`)).Draw(t, "text")
		room, bold := rapid.IntRange(200, 3000).Draw(t, "room"), rapid.Bool().Draw(t, "bold")
		got := fit(text, room, labelSize, bold)
		if extent(got, labelSize, bold) > room {
			t.Fatalf("%q is %d wide, more than %d", got, extent(got, labelSize, bold), room)
		}
		if extent(text, labelSize, bold) <= room && got != text {
			t.Fatalf("%q was cut to %q though it fits", text, got)
		}
	})
}

// The widths of DejaVu Sans, the widest font that the style can come to, in
// thousandths of the font size.
func TestLabelsAreGivenRoomForWideFonts(t *testing.T) {
	t.Parallel()
	for text, wide := range map[string]int{
		"i": 278, "m": 974, "W": 989, "M": 863, "w": 818, "a": 613, "o": 612, "n": 634, "0": 636, "-": 361, "t": 392, "f": 352, "r": 411,
		"@": 1000, "%": 950, "A": 684, "Q": 787, "l": 278, "s": 521, "p": 635, " ": 318, "#": 838, "+": 838, "&": 780, "_": 500, "?": 531,
	} {
		if got := extent(text, 100, false); got < wide {
			t.Errorf("%q is given %d, and needs %d", text, got, wide)
		}
	}
}

package themes_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"plimsoll/themes"
)

// What people see who lack the cones for red or for green follows Viénot, Brettel and Mollon (1999).

// limits are the contrasts that a theme holds, at least.
type limits struct{ text, secondary, marks, faint float64 }

// usual are the limits of every theme, high those of the themes of high contrast.
var (
	usual = limits{7, 4.5, 4.5, 3}
	high  = limits{7, 7, 7, 7}
)

// The least contrast of what is no text.
const (
	leastSelected  = 1.2 // of what is selected with the ground it stands on
	leastSegment   = 3   // of a segment of the gauge with the background
	leastNeighbour = 1.5 // of two segments that stand side by side
	leastUnseen    = 1.3 // of the two for people who see no red or no green
)

// finding is a color that is too close to another.
type finding struct {
	role, beside themes.Role
	got, want    float64
	eyes         string // "red" or "green" where only people who do not see that cannot tell them apart
}

// unreadable lists the colors of a theme that do not hold the limits, none without color.
func unreadable(t themes.Theme, l limits) []finding {
	if !t.HasColour() {
		return nil
	}
	r := reading{roles: map[string]themes.Role{}}
	for _, role := range t.Roles() {
		r.roles[role.Name] = role
	}
	grounds := []string{"background", "surface", "raised", "band"}
	for _, ground := range grounds {
		r.needs("colors.text", "colors."+ground, l.text)
		r.needs("colors.secondary", "colors."+ground, l.secondary)
		if ground != "surface" { // labels of code are told by their place
			r.needs("colors.faint", "colors."+ground, l.faint)
		}
		for _, mark := range []string{"accent", "user", "link", "inline", "success", "warning", "error", "added", "removed", "hunk"} {
			r.needs("colors."+mark, "colors."+ground, l.marks)
		}
	}
	r.needs("colors.text", "colors.selection", l.text)
	r.needs("colors.selection", "colors.background", leastSelected)
	r.needs("colors.selection", "colors.raised", leastSelected)
	var before string
	for _, role := range t.Roles() {
		part, _, _ := strings.Cut(role.Name, ".")
		switch {
		case part == "code":
			r.needs(role.Name, "colors.surface", l.marks)
			r.needs(role.Name, "colors.background", l.marks)
		case part == "gauge" && role.Name != "gauge.reserve":
			r.needs(role.Name, "colors.background", leastSegment)
			if before != "" {
				r.apart(role.Name, before)
			}
			before = role.Name
		}
	}
	return r.found
}

// reading collects what does not read: of a color its worst pair.
type reading struct {
	roles map[string]themes.Role
	found []finding
}

func (r *reading) needs(name, beside string, least float64) {
	f := finding{role: r.roles[name], beside: r.roles[beside], want: least}
	f.got = themes.Contrast(f.role.Color, f.beside.Color)
	r.note(f)
}

func (r *reading) apart(name, before string) {
	r.needs(name, before, leastNeighbour)
	for eyes, see := range map[string]func(string) string{"red": withoutRed, "green": withoutGreen} {
		f := finding{role: r.roles[name], beside: r.roles[before], want: leastUnseen, eyes: eyes}
		f.got = themes.Contrast(see(f.role.Color), see(f.beside.Color))
		r.note(f)
	}
}

func (r *reading) note(f finding) {
	if f.got >= f.want {
		return
	}
	i := slices.IndexFunc(r.found, func(o finding) bool { return o.role.Name == f.role.Name })
	switch {
	case i < 0:
		r.found = append(r.found, f)
	case cmp.Compare(f.got/f.want, r.found[i].got/r.found[i].want) < 0 || f.got/f.want == r.found[i].got/r.found[i].want && f.eyes < r.found[i].eyes:
		r.found[i] = f
	}
}

func withoutRed(hex string) string {
	return seen(hex, [3][3]float64{{.11238, .88762, 0}, {.11238, .88762, 0}, {.00401, -.00401, 1}})
}

func withoutGreen(hex string) string {
	return seen(hex, [3][3]float64{{.29275, .70725, 0}, {.29275, .70725, 0}, {-.02234, .02234, 1}})
}

// seen is a color through a matrix in linear light.
func seen(hex string, m [3][3]float64) string {
	v, _ := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	in := [3]float64{}
	for i := range in {
		in[i] = math.Pow(float64(v>>(16-8*i)&0xff)/255, 2.2)
	}
	out := "#"
	for _, row := range m {
		x := math.Pow(max(0, row[0]*in[0]+row[1]*in[1]+row[2]*in[2]), 1/2.2)
		out += fmt.Sprintf("%02x", int(math.Round(255*min(1, x))))
	}
	return out
}

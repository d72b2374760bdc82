package themes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Contrast follows WCAG 2.1, "relative luminance" and "contrast ratio". What people see
// who lack the cones for red or for green follows Viénot, Brettel and Mollon (1999).

// Limits are the contrasts that a theme holds, at least.
type Limits struct{ Text, Secondary, Marks, Faint float64 }

// Usual are the limits of every theme, High those of the themes of high contrast.
var (
	Usual = Limits{Text: 7, Secondary: 4.5, Marks: 4.5, Faint: 3}
	High  = Limits{Text: 7, Secondary: 7, Marks: 7, Faint: 7}
)

// The least contrast of what is no text.
const (
	leastSelected  = 1.2 // of what is selected with the ground it stands on
	leastSegment   = 3   // of a segment of the gauge with the background
	leastNeighbour = 1.5 // of two segments that stand side by side
	leastUnseen    = 1.3 // of the two for people who see no red or no green
)

// Finding is a color that is too close to another.
type Finding struct {
	Role, Beside Role
	Got, Want    float64
	Eyes         string // "red" or "green" where only people who do not see that cannot tell them apart
}

// Text says what is wrong.
func (f Finding) Text() string {
	who := ""
	if f.Eyes != "" {
		who = " for people who see no " + f.Eyes
	}
	// Rounded down: a number that reads like the limit would puzzle.
	return fmt.Sprintf("%s on %s has a contrast of %.1f%s; %.3g is needed", f.Role.Color, f.Beside.Name, math.Floor(f.Got*10)/10, who, f.Want)
}

// Hint says which color would do, "" if none of the same hue does.
func (f Finding) Hint() string {
	for _, to := range []string{"#ffffff", "#000000"} {
		if Contrast(to, f.Beside.Color) < Contrast(f.Role.Color, f.Beside.Color) {
			continue // away from what it stands on
		}
		for step := 1; step <= 20; step++ {
			if c := mix(f.Role.Color, to, float64(step)/20); f.Eyes == "" && Contrast(c, f.Beside.Color) >= f.Want {
				return "readable in the same hue: " + c
			}
		}
	}
	return ""
}

// Unreadable lists the colors of a theme that do not hold the limits, none without color.
func (t Theme) Unreadable(l Limits) []Finding {
	if !t.HasColour() {
		return nil
	}
	r := reading{roles: map[string]Role{}}
	for _, role := range t.Roles() {
		r.roles[role.Name] = role
	}
	grounds := []string{"background", "surface", "raised", "band"}
	for _, ground := range grounds {
		r.needs("colors.text", "colors."+ground, l.Text)
		r.needs("colors.secondary", "colors."+ground, l.Secondary)
		if ground != "surface" { // labels of code are told by their place
			r.needs("colors.faint", "colors."+ground, l.Faint)
		}
		for _, mark := range []string{"accent", "user", "link", "inline", "success", "warning", "error", "added", "removed", "hunk"} {
			r.needs("colors."+mark, "colors."+ground, l.Marks)
		}
	}
	r.needs("colors.text", "colors.selection", l.Text)
	r.needs("colors.selection", "colors.background", leastSelected)
	r.needs("colors.selection", "colors.raised", leastSelected)
	var before string
	for _, role := range t.Roles() {
		part, _, _ := strings.Cut(role.Name, ".")
		switch {
		case part == "code":
			r.needs(role.Name, "colors.surface", l.Marks)
			r.needs(role.Name, "colors.background", l.Marks)
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
	roles map[string]Role
	found []Finding
}

func (r *reading) needs(name, beside string, least float64) {
	f := Finding{Role: r.roles[name], Beside: r.roles[beside], Want: least}
	f.Got = Contrast(f.Role.Color, f.Beside.Color)
	r.note(f)
}

// apart is for neighbours in the gauge.
func (r *reading) apart(name, before string) {
	r.needs(name, before, leastNeighbour)
	for eyes, see := range map[string]func(string) string{"red": withoutRed, "green": withoutGreen} {
		f := Finding{Role: r.roles[name], Beside: r.roles[before], Want: leastUnseen, Eyes: eyes}
		f.Got = Contrast(see(f.Role.Color), see(f.Beside.Color))
		r.note(f)
	}
}

func (r *reading) note(f Finding) {
	if f.Got >= f.Want {
		return
	}
	i := slices.IndexFunc(r.found, func(o Finding) bool { return o.Role.Name == f.Role.Name })
	switch {
	case i < 0:
		r.found = append(r.found, f)
	case cmp.Compare(f.Got/f.Want, r.found[i].Got/r.found[i].Want) < 0 || f.Got/f.Want == r.found[i].Got/r.found[i].Want && f.Eyes < r.found[i].Eyes:
		r.found[i] = f
	}
}

// Contrast is that of two colors, from 1 to 21.
func Contrast(a, b string) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(hex string) float64 {
	c := channels(hex)
	for i := range c {
		if c[i] <= 0.03928 {
			c[i] /= 12.92
			continue
		}
		c[i] = math.Pow((c[i]+0.055)/1.055, 2.4)
	}
	return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
}

// channels are red, green and blue, from 0 to 1.
func channels(hex string) [3]float64 {
	v, _ := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32) // colors are checked
	return [3]float64{float64(v>>16&0xff) / 255, float64(v>>8&0xff) / 255, float64(v&0xff) / 255}
}

func hexOf(c [3]float64) string {
	out := "#"
	for _, x := range c {
		out += fmt.Sprintf("%02x", int(math.Round(255*min(1, max(0, x)))))
	}
	return out
}

// mix is a color on its way to another.
func mix(from, to string, share float64) string {
	a, b := channels(from), channels(to)
	for i := range a {
		a[i] += (b[i] - a[i]) * share
	}
	return hexOf(a)
}

func withoutRed(hex string) string {
	return seen(hex, [3][3]float64{{.11238, .88762, 0}, {.11238, .88762, 0}, {.00401, -.00401, 1}})
}

func withoutGreen(hex string) string {
	return seen(hex, [3][3]float64{{.29275, .70725, 0}, {.29275, .70725, 0}, {-.02234, .02234, 1}})
}

// seen is a color through a matrix in linear light.
func seen(hex string, m [3][3]float64) string {
	in, out := channels(hex), [3]float64{}
	for i := range in {
		in[i] = math.Pow(in[i], 2.2)
	}
	for i, row := range m {
		out[i] = math.Pow(max(0, row[0]*in[0]+row[1]*in[1]+row[2]*in[2]), 1/2.2)
	}
	return hexOf(out)
}

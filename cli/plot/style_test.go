package plot_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// palettes are the colors by class of a picture, for light and for dark.
func palettes(t *testing.T) map[string]map[string]string {
	t.Helper()
	style := parse(t, draw(t, sample())).all("style", "")[0].Text
	light, dark, ok := strings.Cut(style, "@media (prefers-color-scheme:dark){")
	if !ok {
		t.Fatal("there is no style for dark pages")
	}
	out := map[string]map[string]string{}
	for name, part := range map[string]string{"light": light, "dark": dark} {
		out[name] = map[string]string{}
		for _, rule := range regexp.MustCompile(`([^{}\n]+)\{([^{}]*)\}`).FindAllStringSubmatch(part, -1) {
			for _, m := range regexp.MustCompile(`(fill|stroke):(#[0-9a-f]{6})`).FindAllStringSubmatch(rule[2], -1) {
				for selector := range strings.SplitSeq(rule[1], ",") {
					out[name][selector+" "+m[1]] = m[2]
				}
			}
		}
	}
	return out
}

func TestColorsReadInLightAndDark(t *testing.T) {
	t.Parallel()
	both := palettes(t)
	for name, colors := range both {
		back := colors[".back fill"]
		for what, least := range map[string]float64{
			"text fill": 4.5, ".quiet fill": 4.5, ".accent fill": 4.5,
			".point fill": 4.5, ".point.ours fill": 4.5, ".number.hollow fill": 4.5, ".number.hollow.ours fill": 4.5,
		} {
			if got := contrast(t, colors[what], back); got < least {
				t.Errorf("%s: %s %s has a contrast of %.2f, want %.1f", name, what, colors[what], got, least)
			}
		}
		if colors[".point.hollow fill"] != back || colors[".number fill"] != back {
			t.Errorf("%s: hollow points and numbers in filled ones do not show the background: %v", name, colors)
		}
	}
	if len(both["light"]) != len(both["dark"]) {
		t.Errorf("light has %d colors, dark %d", len(both["light"]), len(both["dark"]))
	}
	if l, d := luminance(t, both["light"][".back fill"]), luminance(t, both["dark"][".back fill"]); l < 0.8 || d > 0.1 {
		t.Errorf("the luminance of the backgrounds is %.2f and %.2f", l, d)
	}
}

// The accent differs from gray in blue, which no common color blindness takes
// away. For those who see no blue the key has the emphasized name in bold.
func TestAccentIsTellableFromGrayWithoutRedAndGreen(t *testing.T) {
	t.Parallel()
	for name, colors := range palettes(t) {
		accent, gray := channels(t, colors[".point.ours fill"]), channels(t, colors[".point fill"])
		if blue := (accent[2] - accent[0]) - (gray[2] - gray[0]); blue < 80 {
			t.Errorf("%s: %s is only %v more blue than %s", name, colors[".point.ours fill"], blue, colors[".point fill"])
		}
	}
}

func channels(t *testing.T, hex string) [3]float64 {
	t.Helper()
	v, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil || len(hex) != 7 {
		t.Fatalf("%q is not #rrggbb", hex)
	}
	return [3]float64{float64(v >> 16 & 0xff), float64(v >> 8 & 0xff), float64(v & 0xff)}
}

// luminance and contrast follow WCAG 2.1.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, c := range channels(t, hex) {
		c /= 255
		if c <= 0.03928 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += c * [3]float64{0.2126, 0.7152, 0.0722}[i]
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

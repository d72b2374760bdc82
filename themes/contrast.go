package themes

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Contrast returns the contrast ratio of two colors, from 1 to 21, by WCAG 2.1, "relative luminance" and "contrast ratio".
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

// channels returns red, green and blue, from 0 to 1.
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

// mix returns a color between two others: share 0 is from, 1 is to.
func mix(from, to string, share float64) string {
	a, b := channels(from), channels(to)
	for i := range a {
		a[i] += (b[i] - a[i]) * share
	}
	return hexOf(a)
}

package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Size is an amount of bytes. In the file it is a number, or a number with a unit: B, kB, KiB, MB, MiB, GB, GiB.
type Size int64

var sizeUnits = []struct {
	name  string
	bytes Size
}{
	{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"B", 1},
}

// maxSize bounds sizes, so that no sum of a few of them overflows.
const maxSize = Size(1) << 50

// ParseSize reads a size such as "8MiB", "512 KiB" or "30000".
func ParseSize(s string) (Size, error) {
	text, unit := strings.TrimSpace(s), Size(1)
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			text, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0) || n*float64(unit) > float64(maxSize) {
		return 0, fmt.Errorf("%s is not a size", quote(s))
	}
	return Size(n * float64(unit)), nil
}

// String writes the size in the largest unit that divides it.
func (s Size) String() string {
	if s == 0 {
		return "0"
	}
	for _, u := range sizeUnits[:3] {
		if s%u.bytes == 0 {
			return fmt.Sprintf("%d%s", s/u.bytes, u.name)
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// autoWord leaves a number to the preset and the window. In the struct it is 0.
const autoWord = "auto"

// leastAuto is the least number of characters that auto comes to, whatever the preset and the window.
const leastAuto = 30_000

// parseDuration reads a duration with units; days ("2d") exist beside Go's own units, since caches and ages are spoken
// of in days.
func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s is not a duration", quote(s))
	}
	return d, nil
}

// formatDuration writes a duration without units that are 0: 5m, 1h30m.
func formatDuration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

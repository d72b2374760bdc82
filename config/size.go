package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Size is a number of bytes. In the file it is a number, or a number with a unit: B, kB, KiB, MB, MiB, GB, GiB.
type Size int64

var sizeUnits = []struct {
	name  string
	bytes Size
}{
	{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"B", 1},
}

// maxSize is the largest valid size; a sum of several sizes cannot overflow.
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

// String formats the size in the largest unit that divides it.
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

// autoWord is the value of a number that the program chooses, by preset and context window. In the struct it is 0.
const autoWord = "auto"

// minAutoChars is the lowest value in characters that auto can mean for tool_results.max_chars.
const minAutoChars = 30_000

// parseDuration parses a duration. It accepts days ("2d") in addition to Go's units.
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

// formatDuration formats a duration without units that are 0: 5m, 1h30m, 90d.
func formatDuration(d time.Duration) string {
	switch day := 24 * time.Hour; {
	case d == 0:
		return "0"
	case d%day == 0:
		return strconv.Itoa(int(d/day)) + "d"
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

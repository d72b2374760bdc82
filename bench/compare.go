package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	// leastRounds is how many rounds can tell a difference from noise: all eight agree by chance once in 128 times.
	leastRounds = 8

	// chance is how likely noise alone may be to give a verdict other than same.
	chance = 0.01

	// least is the share by which medians have to differ; what is smaller is of no use to know.
	least = 0.02
)

// key names one figure of one benchmark.
type key struct{ pkg, name, unit string }

// figures are the values of a revision, one a round.
type figures map[key][]float64

// read adds what the output of one package's benchmarks says.
func (f figures) read(pkg string, r io.Reader) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		if _, err := strconv.Atoi(words[1]); err != nil {
			continue
		}
		for i := 2; i+1 < len(words); i += 2 {
			value, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return fmt.Errorf("%s: %q is no number", words[0], words[i])
			}
			k := key{pkg, bare(words[0]), words[i+1]}
			f[k] = append(f[k], value)
		}
	}
	return lines.Err()
}

// bare is the name of a benchmark without the number of processors at its end.
func bare(name string) string {
	name = strings.TrimPrefix(name, "Benchmark")
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		if _, err := strconv.Atoi(name[i+1:]); err == nil {
			return name[:i]
		}
	}
	return name
}

// verdict says how a figure changed.
type verdict string

const (
	same   verdict = "same"
	faster verdict = "faster"
	slower verdict = "slower"
	noBase verdict = "not in base"
	noNew  verdict = "only in base"
)

// row compares one figure of two revisions.
type row struct {
	key
	base, now float64 // medians
	verdict   verdict
}

// ratio is now to base, infinite where base is nothing.
func (r row) ratio() float64 {
	if r.base == r.now {
		return 1
	}
	return r.now / r.base
}

// compare compares all figures, sorted by name.
func compare(base, now figures) []row {
	var rows []row
	for k, values := range now {
		if old := base[k]; len(old) > 0 {
			rows = append(rows, row{k, median(old), median(values), judge(old, values, k.unit)})
		} else {
			rows = append(rows, row{k, 0, median(values), noBase})
		}
	}
	for k, values := range base {
		if len(now[k]) == 0 {
			rows = append(rows, row{k, median(values), 0, noNew})
		}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.name, b.name), cmp.Compare(a.unit, b.unit))
	})
	return rows
}

// judge compares the rounds pair by pair, because both of a pair meet the same other work of the machine. It is a sign
// test: values need no particular distribution, and one that is far out counts as one.
func judge(base, now []float64, unit string) verdict {
	var more, fewer int
	for i := range min(len(base), len(now)) {
		switch {
		case now[i] > base[i]:
			more++
		case now[i] < base[i]:
			fewer++
		}
	}
	change := row{base: median(base), now: median(now)}.ratio()
	if strings.HasSuffix(unit, "B/s") { // of speeds, more is better
		more, fewer, change = fewer, more, 1/change
	}
	switch {
	case byChance(more, fewer) >= chance:
		return same
	case more > fewer && change > 1+least:
		return slower
	case fewer > more && change < 1-least:
		return faster
	}
	return same
}

// byChance is how likely a fair coin is to fall as unevenly as this, to either side.
func byChance(a, b int) float64 {
	n, sum, ways := a+b, 0.0, 1.0
	for i := range min(a, b) + 1 {
		sum += ways
		ways *= float64(n-i) / float64(i+1)
	}
	return min(1, 2*sum/math.Pow(2, float64(n)))
}

// median is the middle of values; with an even number of them the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// report prints the rows and says whether something is slower.
func report(w io.Writer, rows []row) (worse bool) {
	pkg := ""
	for _, r := range rows {
		if r.pkg != pkg {
			pkg = r.pkg
			fmt.Fprintf(w, "\n%-40s %-10s %12s %12s %7s\n", pkg, "", "base", "new", "ratio")
		}
		switch r.verdict {
		case noBase:
			fmt.Fprintf(w, "  %-38s %-10s %12s %12.5g %7s  %s\n", r.name, r.unit, "-", r.now, "", r.verdict)
		case noNew:
			fmt.Fprintf(w, "  %-38s %-10s %12.5g %12s %7s  %s\n", r.name, r.unit, r.base, "-", "", r.verdict)
		default:
			fmt.Fprintf(w, "  %-38s %-10s %12.5g %12.5g %7.2f  %s\n", r.name, r.unit, r.base, r.now, r.ratio(), r.verdict)
		}
		worse = worse || r.verdict == slower
	}
	return worse
}

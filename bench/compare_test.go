package main

import (
	"math"
	"strings"
	"testing"
)

func TestReadTakesEveryFigure(t *testing.T) {
	t.Parallel()
	f := figures{}
	for range 2 {
		err := f.read("e2e", strings.NewReader("goos: linux\nBenchmarkTurn/a-b-2 \t 3\t 10.5 ms-cpu\t 7 frames\nBenchmarkOdd\nPASS\n"))
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(f) != 2 || len(f[key{"e2e", "Turn/a-b", "ms-cpu"}]) != 2 || median(f[key{"e2e", "Turn/a-b", "frames"}]) != 7 {
		t.Errorf("read %v", f)
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for want, values := range map[float64][]float64{0: nil, 3: {9, 1, 3}, 2.5: {4, 1, 2, 3}} {
		if got := median(values); got != want {
			t.Errorf("median of %v is %v, want %v", values, got, want)
		}
	}
}

func TestByChance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b int
		want float64
	}{{0, 0, 1}, {4, 4, 1}, {8, 0, 2.0 / 256}, {0, 8, 2.0 / 256}, {9, 1, 22.0 / 1024}} {
		if got := byChance(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("byChance(%d, %d) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	// The machine gets busier from round to round; both sides feel it.
	base := []float64{100, 110, 120, 130, 140, 150, 160, 170}
	times := func(by ...float64) []float64 {
		out := make([]float64, len(base))
		for i := range base {
			out[i] = base[i] * by[i%len(by)]
		}
		return out
	}
	for _, c := range []struct {
		name      string
		base, now []float64
		unit      string
		want      verdict
	}{
		{"equal", base, base, "ns/op", same},
		{"slower in every round", base, times(1.1), "ns/op", slower},
		{"faster in every round", base, times(0.9), "ns/op", faster},
		{"now this, now that", base, times(1.3, 0.8), "ns/op", same},
		{"one round disagrees", base, append(times(1.1)[:7], 1), "ns/op", same},
		{"less than anybody notices", base, times(1.01), "ns/op", same},
		{"a speed that grows", base, times(1.1), "MB/s", faster},
		{"a speed that falls", base, times(0.9), "MB/s", slower},
		{"memory is no speed", base, times(1.1), "MB", slower},
		{"something from nothing", make([]float64, 8), base, "allocs/op", slower},
		{"nothing from something", base, make([]float64, 8), "allocs/op", faster},
		{"nothing at all", make([]float64, 8), make([]float64, 8), "allocs/op", same},
		{"too few rounds", base[:7], times(2)[:7], "ns/op", same},
	} {
		if got := judge(c.base, c.now, c.unit); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestReportSaysWhatBaseLacks(t *testing.T) {
	t.Parallel()
	k := func(name string) key { return key{"e2e", name, "ms-cpu"} }
	eight := func(v float64) []float64 { return []float64{v, v, v, v, v, v, v, v} }
	base := figures{k("Old"): eight(1), k("Turn"): eight(10)}
	now := figures{k("New"): eight(1), k("Turn"): eight(20)}
	var out strings.Builder
	if !report(&out, compare(base, now)) {
		t.Error("nothing is slower")
	}
	for _, want := range []string{"not in base", "only in base", "2.00  slower"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if report(&out, compare(figures{}, now)) {
		t.Error("a benchmark that base lacks counts as slower")
	}
}

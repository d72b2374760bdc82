package plot

import (
	"math"
	"strconv"
)

// A scale of shares is even. A scale of ratios is logarithmic: twice as dear is
// as far from 1 as half as dear. Ticks are round numbers, the finest of which
// the labels do not touch.

// scale maps values to an axis.
type scale struct {
	low, high float64 // of the axis; low is less than high
	log       bool
	ticks     []float64
}

const (
	free      = 0.06 // share of the range left at either end
	cheapEnd  = 0.12 // the same where costs are low, for the labels of points that are best
	leastOf   = 0.1  // the shortest scale of shares
	leastLog  = 0.2  // the shortest scale of ratios, as a natural logarithm
	minDecade = -4   // the powers of ten that ticks are made of
	maxDecade = 7
	maxTicks  = 200 // more are not even tried
)

// series are the first digits of ticks of ratios, from fine to coarse.
var series = [][]float64{
	{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9},
	{1, 1.5, 2, 3, 5, 7},
	{1, 2, 5},
	{1},
}

// shares is a scale of shares that shows low to high and stays between 0 and 1,
// with ticks at least so far apart, as a share of the axis.
func shares(low, high, apart float64) scale {
	if missing := leastOf - (high - low); missing > 0 {
		low, high = low-missing/2, high+missing/2
	}
	margin := free * (high - low)
	s := scale{low: max(0, low-margin), high: min(1, high+margin)}
	s.evenTicks(-2, apart)
	return s
}

// ratios is a scale of ratios above 0 that shows low to high.
func ratios(low, high, apart float64) scale {
	a, b := math.Log(low), math.Log(high)
	if missing := leastLog - (b - a); missing > 0 {
		a, b = a-missing/2, b+missing/2
	}
	s := scale{low: math.Exp(a - cheapEnd*(b-a)), high: math.Exp(b + free*(b-a)), log: true}
	if s.high < 2*s.low {
		s.evenTicks(minDecade, apart)
		return s
	}
	for _, digits := range series {
		if s.ticks = s.decades(digits); s.roomy(apart) {
			return s
		}
	}
	if len(s.ticks) < 2 { // no power of ten in less than a decade
		s.ticks = s.decades(series[0])[:1]
		return s
	}
	// Even the powers of ten are too close: as many of them as there is room.
	every := int(math.Ceil(apart / s.closest()))
	var kept []float64
	for i := 0; i < len(s.ticks); i += every {
		kept = append(kept, s.ticks[i])
	}
	s.ticks = kept
	return s
}

// evenTicks sets the ticks to multiples of the smallest step of 1, 2 or 5 times
// a power of ten, from 10^first on, that keeps them apart; where none does, to
// one of the largest that has any.
func (s *scale) evenTicks(first int, apart float64) {
	var one []float64
	for power := first; power <= maxDecade; power++ {
		for _, n := range []float64{1, 2, 5} {
			s.ticks = s.multiples(n, power)
			if s.roomy(apart) {
				return
			}
			if len(s.ticks) > 0 {
				one = s.ticks[:1]
			}
		}
	}
	s.ticks = one
}

// multiples lists the multiples of n times a power of ten on the axis, none if
// there are too many.
func (s *scale) multiples(n float64, power int) []float64 {
	step := tenfold(n, power)
	if (s.high-s.low)/step > maxTicks {
		return nil
	}
	var out []float64
	for i := math.Floor(s.low / step); i <= s.high/step+1; i++ {
		if tick := tenfold(i*n, power); s.shows(tick) {
			out = append(out, tick)
		}
	}
	return out
}

// decades lists the digits times the powers of ten on the axis.
func (s *scale) decades(digits []float64) []float64 {
	var out []float64
	for power := minDecade; power <= maxDecade; power++ {
		for _, n := range digits {
			if tick := tenfold(n, power); s.shows(tick) {
				out = append(out, tick)
			}
		}
	}
	return out
}

// tenfold is n times a power of ten. Dividing by a power of ten gives the number
// that is meant, multiplying by a tenth would not.
func tenfold(n float64, power int) float64 {
	return n * math.Pow10(max(0, power)) / math.Pow10(max(0, -power))
}

// roomy reports whether there are ticks and all are so far apart.
func (s *scale) roomy(apart float64) bool { return len(s.ticks) > 0 && s.closest() >= apart }

// closest is the least distance of two ticks.
func (s *scale) closest() float64 {
	least := 1.0
	for i := 1; i < len(s.ticks); i++ {
		least = min(least, s.at(s.ticks[i])-s.at(s.ticks[i-1]))
	}
	return least
}

// at is where a value stands on the axis, 0 to 1. Values beyond it stand at its
// end.
func (s *scale) at(v float64) float64 {
	low, high := s.low, s.high
	v = min(high, max(low, v))
	if s.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	return min(1, max(0, (v-low)/(high-low)))
}

// shows reports whether the axis reaches a value.
func (s *scale) shows(v float64) bool { return v >= s.low && v <= s.high }

// labels are what stands at the ticks of ratios: all with as many decimals, or
// as few as each needs where some are large.
func (s *scale) labels() []string {
	decimals := 0
	for _, t := range s.ticks {
		decimals = max(decimals, decimalsOf(t))
	}
	out := make([]string, len(s.ticks))
	for i, t := range s.ticks {
		n := decimals
		if s.high >= 10 {
			n = -1
		}
		out[i] = strconv.FormatFloat(t, 'f', n, 64)
	}
	return out
}

// decimalsOf is how many decimals a tick needs.
func decimalsOf(tick float64) int {
	s := strconv.FormatFloat(tick, 'f', -1, 64)
	for i := range s {
		if s[i] == '.' {
			return len(s) - i - 1
		}
	}
	return 0
}

// percent is a share in words, as a tick of the share is labelled.
func percent(tick float64) string { return strconv.FormatFloat(100*tick, 'f', 0, 64) + " %" }

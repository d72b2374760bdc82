package plot

import (
	"math"
	"strconv"
)

// scale maps values to an axis. Shares are even; costs are logarithmic: twice as
// expensive is as far from 1 as half as expensive.
type scale struct {
	low, high float64 // the ends of the axis
	log       bool
	apart     float64 // of two ticks at least, as a share of the axis
	ticks     []float64
}

const (
	spare     = 0.08 // of the range, free at either end
	leastKept = 0.1  // the shortest range of shares
	leastCost = 1.3  // the least ratio of the highest cost to the lowest
	costApart = 0.065
	evenApart = 0.1 // of ticks of costs with two decimals
	keptApart = 0.14
)

// keptScale is a scale of shares that shows low to high, within 0 and 1.
func keptScale(low, high float64) scale {
	if missing := leastKept - (high - low); missing > 0 {
		low, high = low-missing/2, high+missing/2
	}
	by := spare * (high - low)
	s := scale{low: max(0, low-by), high: min(1, high+by), apart: keptApart}
	s.evenTicks()
	return s
}

// costScale is a scale of ratios that shows low to high.
func costScale(low, high float64) scale {
	if missing := leastCost * low / high; missing > 1 {
		low, high = low/math.Sqrt(missing), high*math.Sqrt(missing)
	}
	by := math.Pow(high/low, spare)
	s := scale{low: low / by, high: high * by, log: true, apart: costApart}
	if s.high < 2*s.low {
		s.apart = evenApart
		s.evenTicks()
		return s
	}
	for _, digits := range [][]float64{{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9}, {1, 1.5, 2, 3, 5, 7}, {1, 2, 5}, {1}} {
		s.ticks = nil
		for power := 0.001; power <= 1000; power *= 10 {
			for _, digit := range digits {
				s.tick(digit * power)
			}
		}
		if s.roomy() {
			break
		}
	}
	return s
}

// evenTicks sets the ticks to multiples of the smallest round step that keeps
// them apart.
func (s *scale) evenTicks() {
	for power := 1e-4; ; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			step := digit * power
			s.ticks = nil
			if (s.high-s.low)/step > 1/s.apart {
				continue
			}
			for i := math.Floor(s.low / step); i*step <= s.high; i++ {
				s.tick(i * step)
			}
			if s.roomy() {
				return
			}
		}
	}
}

// tick adds a tick if the axis reaches it.
func (s *scale) tick(v float64) {
	if v = math.Round(v*1e6) / 1e6; v >= s.low && v <= s.high {
		s.ticks = append(s.ticks, v)
	}
}

// roomy reports whether all ticks are apart.
func (s *scale) roomy() bool {
	for i := 1; i < len(s.ticks); i++ {
		if s.at(s.ticks[i])-s.at(s.ticks[i-1]) < s.apart {
			return false
		}
	}
	return true
}

// at is where a value stands on the axis, 0 to 1.
func (s *scale) at(v float64) float64 {
	if s.log {
		return math.Log(v/s.low) / math.Log(s.high/s.low)
	}
	return (v - s.low) / (s.high - s.low)
}

// labels are the ticks times a factor, all with as many decimals, or each with as
// few as it needs where some are large.
func (s *scale) labels(factor float64) []string {
	decimals := 0
	for _, tick := range s.ticks {
		for decimals < 6 && math.Abs(math.Round(tick*factor*math.Pow10(decimals))-tick*factor*math.Pow10(decimals)) > 1e-6 {
			decimals++
		}
	}
	if s.high >= 10 {
		decimals = -1
	}
	var out []string
	for _, tick := range s.ticks {
		out = append(out, strconv.FormatFloat(tick*factor, 'f', decimals, 64))
	}
	return out
}

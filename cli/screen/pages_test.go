package screen

import "testing"

func TestAnUnknownPriceIsNotNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		requests, unknown int
		usd               float64
		want              string
	}{
		{2, 0, 0.5, "$0.50"}, {2, 0, 0, "$0.00"}, {7, 7, 0, "price unknown"}, {3, 1, 0.25, "$0.25 for 2 of them, price unknown for 1"},
	} {
		if got := costWords(c.requests, c.unknown, c.usd); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

package choices_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/tui/choices"
)

func models() []choices.Model {
	return []choices.Model{
		{Name: "a/keyless", NoKey: true, Window: 200_000},
		{Name: "a/keyed", Key: "A_KEY", Window: 1_000_000, Input: new(3.0), Cached: new(0.3), Output: new(15.0)},
		{Name: "b/older", Recent: 2},
		{Name: "c/found", Found: true, Key: "its server", Window: 4096, Input: new(0.0), Output: new(0.0)},
		{Name: "b/newer", Recent: 1, Key: "B_KEY", Input: new(0.25), Cached: new(0.025), Output: new(2.0)},
		{Name: "d/marked", Favorite: true, Input: new(1.0), Output: new(2.0)},
		{Name: "demo", Note: "built in, not an AI"},
	}
}

func TestModelsAreSortedByFavoriteThenRecentThenFound(t *testing.T) {
	t.Parallel()
	list := models()
	choices.SortModels(list)
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	if diff := cmp.Diff("d/marked b/newer b/older c/found a/keyed demo a/keyless", strings.Join(names, " ")); diff != "" {
		t.Error(diff)
	}
}

func TestModelsAreDescribedInColumns(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, m := range models() {
		rows = append(rows, strings.TrimRight(strings.Join(m.Columns(), "|"), " |"))
	}
	want := []string{"  200k|no", "    1M|✓|  $3.00| $15.00|  $0.30", "", "  4.1k|✓|   free", "      |✓|  $0.25|  $2.00| $0.025", "      ||  $1.00|  $2.00|      –", ""}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
}

func TestConversationsAreSorted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	list := []choices.Conversation{
		{ID: "1", Title: "beta", Updated: now, Size: 10}, {ID: "2", Title: "Alpha", Updated: now.Add(-time.Hour), Size: 30}, {ID: "3", Title: "gamma", Updated: now.Add(time.Hour), Size: 20},
	}
	for order, want := range map[choices.Order]string{choices.Recent: "312", choices.ByName: "213", choices.BySize: "231"} {
		choices.SortConversations(list, order)
		got := ""
		for _, c := range list {
			got += c.ID
		}
		if got != want {
			t.Errorf("%s: %s, not %s", order, got, want)
		}
	}
	o := choices.Recent
	for range 3 {
		o = o.Next()
	}
	if o != choices.Recent {
		t.Errorf("after all orders comes %s", o)
	}
}

package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	formats "plimsoll/cli/replay"
	"plimsoll/compact/preset"
	"plimsoll/compact/replay"
	"plimsoll/conversation/numbers"
	"plimsoll/docs/docstest"
)

const (
	measuredPage = "../docs/measured/README.md"
	replayPage   = "../docs/replay.md"
	readme       = "../README.md"
	picture      = "../docs/images/replay.svg"
)

func TestDocumentsShowWhatWasMeasured(t *testing.T) {
	t.Parallel()
	all := readMeasurements(t)
	run := all["128k"].run()
	example := written(t, func(w io.Writer) error { return run.WriteTable(w, 96) })
	madeText(t, replayPage, "example", "```\n"+example+"```\n")
	madeText(t, replayPage, "sheets", sheetRows())
	madeText(t, measuredPage, "claude", claudeRows(all))
	for window, m := range all {
		for name, c := range m.Claude {
			if better := min(c["claude-5m"], c["claude-1h"]); better <= 0 || c["claude"] > 1.02*better {
				t.Errorf("%s in %s: the chosen lifetime costs %v, the better fixed one %v", name, window, c["claude"], better)
			}
		}
	}
	madeText(t, measuredPage, "comparison", comparison(all))
	madeText(t, measuredPage, "variants", variantRows(all))
	madeText(t, measuredPage, "numbers", numbersIn(all["128k"]))
	pictureIs(t, run)
	checkClaims(t, append(claims(all), variantClaims(all)...))
}

// written is what a function writes.
func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func pictureIs(t *testing.T, run formats.Run) {
	t.Helper()
	docstest.File(t, picture, written(t, run.WritePicture), *update)
}

// sheetRows is the table of price sheets.
func sheetRows() string {
	var b strings.Builder
	b.WriteString("| sheet | read from the cache | written | lifetime of the cache | output |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, s := range replay.Sheets() {
		fmt.Fprintf(&b, "| `%s` | %v | %v | %.0f min | %v |\n", s.Name, s.Read, s.Write, s.Lifetime.Minutes(), s.Output)
	}
	return b.String()
}

// claudeRows is what policies cost on Claude, if the same policy without a cache costs 1.
func claudeRows(all map[string]measurement) string {
	sheets := replay.ClaudeSheets()
	uncached, short, long, chosen := sheets[0].Name, sheets[1].Name, sheets[2].Name, sheets[3].Name
	var b strings.Builder
	fmt.Fprintf(&b, "| window | preset | no cache (`%s`) | 5 minutes (`%s`) | 1 hour (`%s`) | chosen (`%s`) | chosen, if the better fixed one costs 1 |\n"+
		"| --- | --- |"+strings.Repeat(" ---: |", 5)+"\n", uncached, short, long, chosen)
	for _, w := range measuredWindows {
		for _, name := range []preset.Name{preset.Plimsoll, preset.Truncate, preset.Raw} {
			c := all[w.name].Claude[name]
			fmt.Fprintf(&b, "| %s | `%s` | 1 | %.3f | %.3f | %.3f | %.3f |\n", numbers.Grouped(w.tokens), name,
				c[short]/c[uncached], c[long]/c[uncached], c[chosen]/c[uncached], c[chosen]/min(c[short], c[long]))
		}
	}
	return b.String()
}

// comparison sets Plimsoll beside leaving out the oldest, in every window.
func comparison(all map[string]measurement) string {
	var b strings.Builder
	b.WriteString("| window | preset | cost, if `truncate` costs 1 | with lookups | content | edit anchors | written lines | names from results | " +
		"by the index alone | demands | of what is lost, can be had back | dearer than sending everything |\n" +
		"| --- | --- |" + strings.Repeat(" ---: |", 10) + "\n")
	for _, w := range measuredWindows {
		m := all[w.name]
		for _, name := range []preset.Name{preset.Plimsoll, preset.Truncate} {
			f := m.Totals[name]
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s | %d of %d |\n", numbers.Grouped(m.Window), name,
				ratio(f.CostVsTruncate[m.Plan]), ratio(f.CostWithDebtVsTruncate[m.Plan]), shareText(f.Content),
				shareText(f.EditAnchors), shareText(f.WriteLines), shareText(f.RecallTool), shareText(f.RecallIndex),
				shareText(f.Instructions), shareText(f.Recoverable), most(f.SessionsWorse), m.Fits)
		}
	}
	fmt.Fprintf(&b, "\nCosts are by the sheet `%s`; conversations that are dearer are those by the sheet that has most of them.\n", all["128k"].Plan)
	return b.String()
}

// ratio is a ratio with three places.
func ratio(r replay.Ratio) string { return fmt.Sprintf("%.3f", float64(r)) }

// most is the highest number.
func most(bySheet map[string]int) int {
	n := 0
	for _, one := range bySheet {
		n = max(n, one)
	}
	return n
}

// variantRows is the table of what was tried.
func variantRows(all map[string]measurement) string {
	var b strings.Builder
	b.WriteString("| set |")
	for _, w := range measuredWindows {
		fmt.Fprintf(&b, " %s: cost | recall | edits |", w.name)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", 3*len(measuredWindows)) + "\n")
	row := func(name string, of func(measurement) measuredSums) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, w := range measuredWindows {
			m := all[w.name]
			f := of(m)
			fmt.Fprintf(&b, " %s | %s | %s |", ratio(f.CostVsTruncate[m.Plan]), ratio(f.RecallTool), ratio(f.EditAnchors))
		}
		b.WriteString("\n")
	}
	row("nothing: the default", func(m measurement) measuredSums { return m.Totals[preset.Plimsoll] })
	for _, v := range variants {
		row("`"+v+"`", func(m measurement) measuredSums { return m.Variants[v] })
	}
	return b.String()
}

// numbersIn are the three that sum it up.
func numbersIn(m measurement) string {
	own, cut := m.Totals[preset.Plimsoll], m.Totals[preset.Truncate]
	whole := func(r replay.Ratio) string { return fmt.Sprintf("%.0f%%", 100*float64(r)) }
	return fmt.Sprintf("In a window of %s tokens, over %s of several agents and chats:\n\n"+
		"- It costs **%.2f** times what leaving out the oldest messages does, and **%d of %d** conversations that fit the window\n"+
		"  cost more than if everything was sent.\n"+
		"- **%s** of what the user demanded is in view when a reply is due, word for word, and **%s** of the text that edits\n"+
		"  replace or rewritten files repeat; with the oldest left out %s and %s.\n"+
		"- **%s** of the names from results of tools that are out of view can be had back by the model, with ids that it is\n"+
		"  shown; of what is left out, none.\n",
		numbers.Grouped(m.Window), numbers.Count(m.Corpus.Files, "recorded conversation"), float64(own.CostVsTruncate[m.Plan]), most(own.SessionsWorse), m.Fits, whole(own.Instructions), whole(own.Content),
		whole(cut.Instructions), whole(cut.Content), whole(own.Recoverable))
}

// claim is what a document says of the measurements, in whatever words. A mark behind the words names it:
// <!-- measured: cheaper-than-truncate -->
type claim struct {
	name string
	so   bool
}

// checkClaims holds all claims of the documents against what was measured.
func checkClaims(t *testing.T, all []claim) {
	t.Helper()
	known, told := map[string]bool{}, map[string]bool{}
	for _, c := range all {
		known[c.name] = c.so
	}
	pages, err := filepath.Glob("../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(append(pages, more...), readme) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`<!-- measured: (\S+) -->`).FindAllStringSubmatch(string(text), -1) {
			told[m[1]] = true
			if so, ok := known[m[1]]; !ok || !so {
				t.Errorf("%s claims %s, which is not what was measured", page, m[1])
			}
		}
	}
	for name := range known {
		if !told[name] {
			t.Errorf("no document claims %s: remove it here, or its mark is lost", name)
		}
	}
}

// claims are those about presets.
func claims(all map[string]measurement) []claim {
	own, cut, raw, jcli := preset.Plimsoll, preset.Truncate, preset.Raw, preset.JCLI
	cheaper := func(window string, a, b preset.Name) bool { // by every sheet
		return every(all[window].Sheets, func(s string) bool { return all[window].Totals[a].Cost[s] < all[window].Totals[b].Cost[s] })
	}
	more := func(a, b preset.Name, get func(measuredSums) replay.Ratio, windows ...string) bool {
		return every(windows, func(w string) bool { return get(all[w].Totals[a]) > get(all[w].Totals[b]) })
	}
	names := func(f measuredSums) replay.Ratio { return f.RecallTool }
	content := func(f measuredSums) replay.Ratio { return f.Content }
	demands := func(f measuredSums) replay.Ratio { return f.Instructions }
	others := []preset.Name{preset.JP, preset.JPHeavy, preset.JPAuto, preset.Adachsoft, preset.OneClaw, jcli}
	mid, wide := all["128k"].Totals, all["200k"].Totals
	return []claim{
		{"picture-at-128k",
			cheaper("128k", own, cut) && more(cut, own, content, "128k") && every(append(others, raw), func(p preset.Name) bool {
				return mid[p].Overflow > 0 && mid[p].CostVsTruncate[all["128k"].Plan] > mid[own].CostVsTruncate[all["128k"].Plan]
			})},
		{"cheaper-than-truncate",
			cheaper("128k", own, cut) && cheaper("200k", own, cut)},
		{"none-dearer-than-everything",
			most(mid[own].SessionsWorse) == 0 && most(wide[own].SessionsWorse) == 0},
		{"dearer-for-summaries-at-32k", cheaper("32k", cut, own) &&
			all["32k"].Variants[variants[0]].CostVsTruncate[all["32k"].Plan] < 1},
		{"more-demands", more(own, cut, demands, "32k", "128k", "200k")},
		{"all-can-be-had-back", every([]string{"32k", "128k", "200k"}, func(w string) bool {
			return all[w].Totals[own].Recoverable == 1 && all[w].Totals[own].Overflow == 0 && all[w].Totals[own].Violations == 0
		})},
		{"more-names", more(own, cut, names, "32k", "128k", "200k")},
		{"truncate-keeps-more-lines",
			more(cut, own, content, "32k", "128k", "200k")},
		{"others-overflow-128k",
			every(others, func(p preset.Name) bool { return mid[p].Overflow > 0 }) && mid[raw].Overflow > 0},
		{"others-overflow-200k", every(others, func(p preset.Name) bool { return wide[p].Overflow > 0 })},
		{"jcli-cheaper-by-gpt-4o",
			wide[jcli].Cost["gpt-4o"] < wide[own].Cost["gpt-4o"]},
		{"jcli-fewest-names", every(others, func(p preset.Name) bool {
			return p == jcli || wide[p].RecallTool > wide[jcli].RecallTool
		})},
		{"others-dearer-than-nothing",
			every(all["128k"].Sheets, func(s string) bool {
				return every([]preset.Name{preset.JP, preset.JPHeavy, preset.Adachsoft, jcli},
					func(p preset.Name) bool { return mid[p].SessionsWorse[s] > 0 })
			})},
	}
}

// variantClaims are those about what was tried.
func variantClaims(all map[string]measurement) []claim {
	cost := func(f measuredSums, m measurement) float64 { return f.Cost[m.Plan] }
	than := func(variant, window string) (dearer, moreNames, moreEdits bool) {
		m := all[window]
		own, v := m.Totals[preset.Plimsoll], m.Variants[variant]
		return cost(v, m) > cost(own, m), v.RecallTool > own.RecallTool, v.EditAnchors > own.EditAnchors
	}
	is := func(variant int, windows []string, so func(dearer, names, edits bool) bool) bool {
		return every(windows, func(w string) bool { return so(than(variants[variant], w)) })
	}
	windows, large := []string{"32k", "128k", "200k"}, []string{"128k", "200k"}
	return []claim{
		{"no-summaries", is(0, windows, func(dearer, _, _ bool) bool { return !dearer })},
		{"smaller-steps", is(1, windows, func(dearer, _, _ bool) bool { return dearer }) &&
			is(1, []string{"32k"}, func(_, _, edits bool) bool { return edits })},
		{"further-while-cold", is(2, large, func(dearer, _, edits bool) bool { return !dearer && !edits })},
		{"hardly-an-index", is(3, windows, func(dearer, names, _ bool) bool { return !dearer && !names })},
		{"fewer-spared", is(4, windows, func(dearer, _, edits bool) bool { return !dearer && !edits })},
		{"stubs-besides", is(5, []string{"200k"}, func(dearer, names, edits bool) bool { return !dearer && !names && !edits })},
	}
}

func every[T any](list []T, so func(T) bool) bool {
	for _, one := range list {
		if !so(one) {
			return false
		}
	}
	return true
}

// Every figure of --json is told of.
func TestReplayPageTellsOfEveryFigure(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(replayPage)
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[replay.Report](), reflect.TypeFor[replay.Corpus](), reflect.TypeFor[replay.Figures](), reflect.TypeFor[replay.Kept](),
		reflect.TypeFor[formats.File](), reflect.TypeFor[formats.Document](), reflect.TypeFor[formats.DocumentVariant]()} {
		for i := range typ.NumField() {
			key, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if key != "" && !strings.Contains(string(text), "`"+key+"`") {
				t.Errorf("%s does not tell of %s", replayPage, key)
			}
		}
	}
}

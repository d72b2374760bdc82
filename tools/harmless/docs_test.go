package harmless_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/tools/harmless"
)

var update = flag.Bool("update", false, "write the table of docs/harmless.md")

func TestDocumentListsEveryCommand(t *testing.T) {
	t.Parallel()
	const name, first, last = "../../docs/harmless.md", "<!-- harmless: made from the program; go test ./tools/harmless -update -->\n", "<!-- end of harmless -->"
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), first)
	_, after, ends := strings.Cut(rest, last)
	if !ok || !ends {
		t.Fatalf("%s has no place for the table", name)
	}
	table := "\n| command | with harmless arguments it | runs the project's code |\n| --- | --- | --- |\n"
	for _, n := range harmless.Names() {
		e, own := harmless.Find(strings.Fields(n)), ""
		if e.OwnCode {
			own = "yes"
		}
		table += "| `" + n + "` | " + e.Means + " | " + own + " |\n"
	}
	want := before + first + table + "\n" + last + after
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Errorf("%s: run go test ./tools/harmless -update (-program +document):\n%s", name, diff)
	}
}

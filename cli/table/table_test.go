package table_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/cli/table"
)

func column(head string, right bool, cells ...string) *table.Column {
	c := &table.Column{Header: head, AlignRight: right}
	for _, cell := range cells {
		c.Add(cell)
	}
	return c
}

func TestTableMeasuresWideCharactersAndCutsRows(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	err := table.Write(&b, 14, column("ID", false, "a", "日本"), column("EMPTY", false, "", ""),
		column("N", true, "7", "1,000"), column("TITLE", false, "short", "much too long"))
	if err != nil {
		t.Fatal(err)
	}
	want := "ID        N  …\na         7  …\n日本  1,000  …\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("the table differs (-want +got):\n%s", diff)
	}
}

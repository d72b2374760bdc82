package table_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/cli/table"
)

func TestTableMeasuresWideCharactersAndCutsRows(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	columns := []table.Column{table.Left("ID"), table.Left("EMPTY"), table.Right("N"), table.Left("TITLE")}
	err := table.Write(&b, 14, columns, [][]string{{"a", "", "7", "short"}, {"日本", "", "1,000", "much too long"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "ID        N  …\na         7  …\n日本  1,000  …\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("the table differs (-want +got):\n%s", diff)
	}
}

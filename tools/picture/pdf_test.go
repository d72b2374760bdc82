package picture_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"strings"
	"testing"

	"plimsoll/tools/picture"
)

// packed is a stream of objects.
func packed(t *testing.T, objects string) string {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write([]byte(objects))
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("9 0 obj\n<</Type/ObjStm/N 3/First 12/Filter/FlateDecode/Length %d>>\nstream\r\n%s\nendstream\nendobj\n", b.Len(), b.String())
}

func TestPagesOfAPDFAreCounted(t *testing.T) {
	t.Parallel()
	const head = "%PDF-1.7\n"
	page := "3 0 obj\n<< /Type /Page /Parent 2 0 R /Resources << /Font << >> >> >>\nendobj\n"
	tree := "2 0 obj\n<</Kids [3 0 R 4 0 R]/Resources<</A<</Count 7>>>>/Type/Pages/Count 12/MediaBox[0 0 1 1]>>\nendobj\n5 0 obj <</Type/Outlines/Count 40>>\n"
	for name, c := range map[string]struct {
		file string
		want any
	}{
		"a tree":                     {head + page + tree, 12},
		"a tree within trees":        {head + tree + strings.Replace(tree, "Count 12", "Count 30", 1), 30},
		"pages without a tree":       {head + page + page, 2},
		"packed":                     {head + packed(t, tree+page), 12},
		"packed in several streams":  {head + packed(t, page) + packed(t, page) + packed(t, "<</Type/Font>>"), 2},
		"a damaged stream before":    {head + "<</Type/ObjStm>>\nstream\n\x00\x01\x02" + packed(t, tree), 12},
		"cut off":                    {head + packed(t, tree+strings.Repeat("<</Type/Font/Name/F>>", 2000))[:160], "damaged"},
		"with a password":            {head + page + tree + "trailer <</Root 1 0 R/Encrypt 9 0 R>>", "encrypted"},
		"more than a request takes":  {head + strings.Replace(tree, "Count 12", "Count 700", 1), "700 pages, and 100 are the most"},
		"brackets without an end":    {head + strings.Repeat("<<", 50_000) + "/Type/Pages/Count 3" + strings.Repeat(">>", 50_000), 3},
		"only a heading":             {head, "damaged"},
		"as large as no request can": {head + strings.Repeat(" ", picture.MaxPDF), "does not fit"},
	} {
		p, err := picture.Prepare(t.Context(), []byte(c.file), 100)
		switch want := c.want.(type) {
		case int:
			if err != nil || p.Pages != want || p.Media != "application/pdf" || string(p.Data) != c.file {
				t.Errorf("%s: %d pages, %v, want %d", name, p.Pages, err, want)
			}
		case string:
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %d pages, %v", name, p.Pages, err)
			}
		}
	}
}

package conversation

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func bodyFields() []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(reflect.TypeFor[storedEvent]()), func(f reflect.StructField) bool { return f.Type.Kind() != reflect.Pointer })
}

func TestEveryFieldOfTheStoredFormRoundTrips(t *testing.T) {
	t.Parallel()
	for _, f := range bodyFields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		var s storedEvent
		reflect.ValueOf(&s).Elem().FieldByIndex(f.Index).Set(reflect.New(f.Type.Elem()))
		b := s.body()
		if b == nil {
			t.Errorf("%s: the stored form has the field, but it is not read", key)
			continue
		}
		if string(b.Kind()) != key {
			t.Errorf("%s is stored under %q", b.Kind(), key)
		}
		data, err := Marshal(Event{Seq: 1, Body: b})
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		if back, err := Unmarshal(data); err != nil || reflect.TypeOf(back.Body) != f.Type.Elem() {
			t.Errorf("%s comes back as %#v, %v", data, back.Body, err)
		}
		if data, err := Marshal(Event{Seq: 1, Body: Unknown{Name: Kind(key), Raw: RawJSON(`{}`)}}); err == nil {
			t.Errorf("an Unknown body may use the reserved name %s: %s", key, data)
		}
	}
}

// Each type with a Kind method is a body; only Unknown has no field of its own.
func TestEveryBodyIsInTheStoredForm(t *testing.T) {
	t.Parallel()
	want := []string{"Unknown"}
	for _, f := range bodyFields() {
		want = append(want, f.Type.Elem().Name())
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Kind" {
				got = append(got, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the stored form misses bodies, or has too many (-stored +bodies):\n%s", diff)
	}
}

package main_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// What a newcomer has to hold in the head is bounded: the files and exported names of a package, and the methods of a
// type.
const (
	maxFiles    = 30
	maxMethods  = 50
	maxExported = 120 // constants, variables, types and functions
)

// larger are those that are above a bound, each with a bound of its own, which may only go down. A row that is no longer
// needed is an error.
var larger = map[string]int{}

// sizes counts files, methods and exported names of the program's packages.
func sizes(all []source) (files, methods, exported map[string]int) {
	files, methods, exported = map[string]int{}, map[string]int{}, map[string]int{}
	for _, s := range all {
		if s.test || strings.HasSuffix(s.pkg, forTestsOnly) {
			continue
		}
		files[s.pkg]++
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					methods[s.pkg+"."+receiverName(d.Recv.List[0].Type)]++
				} else if d.Name.IsExported() {
					exported[s.pkg]++
				}
			case *ast.GenDecl:
				exported[s.pkg] += exportedIn(d)
			}
		}
	}
	return files, methods, exported
}

// receiverName is the name of the type that a method belongs to.
func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return fmt.Sprintf("%T", e)
}

func exportedIn(d *ast.GenDecl) int {
	n := 0
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if d.Tok == token.TYPE && spec.Name.IsExported() {
				n++
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() {
					n++
				}
			}
		}
	}
	return n
}

func TestPackagesAndTypesStaySmall(t *testing.T) {
	t.Parallel()
	files, methods, exported := sizes(sources(t))
	delete(exported, "conversation") // the words of the domain, which all others use
	used := map[string]bool{}
	for _, count := range []struct {
		what string
		of   map[string]int
		most int
	}{{"files", files, maxFiles}, {"methods", methods, maxMethods}, {"exported names", exported, maxExported}} {
		for _, name := range slices.Sorted(maps.Keys(count.of)) {
			n, most, row := count.of[name], count.most, name+" "+count.what
			if own, ok := larger[row]; ok && n > most {
				most, used[row] = own, true
			}
			if n > most {
				t.Errorf("%s has %d %s, more than %d", name, n, count.what, most)
			}
		}
	}
	for row := range larger {
		if !used[row] {
			t.Errorf("%s are within the bound: take the row out", row)
		}
	}
}

func TestSizesAreCounted(t *testing.T) {
	t.Parallel()
	files, methods, exported := sizes(sources(t))
	if files["conversation"] < 10 || methods["conversation.Log"] < 5 || exported["conversation"] < 50 {
		t.Errorf("too few are seen: %d files, %d methods, %d names", files["conversation"], methods["conversation.Log"], exported["conversation"])
	}
}

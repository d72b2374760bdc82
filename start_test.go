package main_test

import (
	"go/ast"
	"go/token"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Initialising a package costs time at every start of the program, even if it is not used. So packages that set up large
// tables are not imported, and our own packages do such work on first use.

// slow are packages that must not be imported, because they cost every start milliseconds.
var slow = []string{
	"github.com/spf13/cobra/doc", // two Markdown parsers and YAML
}

func TestProgramImportsNothingThatIsSlowToStart(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, module+"/cli") {
		t.Fatalf("these are not the packages of the program: %v", packages)
	}
	for _, pkg := range packages {
		if slices.Contains(slow, pkg) {
			t.Errorf("the program imports %s", pkg)
		}
	}
}

// onFirstUse are functions that a package must not call when it is initialised, only through sync.OnceValue or in a function.
var onFirstUse = []string{"regexp.MustCompile", "json.Unmarshal", "template.Must"}

func TestPackagesDoTheirWorkOnFirstUse(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test || strings.HasSuffix(s.pkg, forTestsOnly) {
			continue
		}
		for _, d := range s.file.Decls {
			if vars, ok := d.(*ast.GenDecl); ok && vars.Tok == token.VAR {
				for _, name := range calls(vars) {
					if slices.Contains(onFirstUse, name) {
						t.Errorf("%s: %s at every start; wrap it in sync.OnceValue", s.set.Position(vars.Pos()), name)
					}
				}
			}
		}
	}
}

// calls lists the package functions that a declaration calls directly, outside of function literals.
func calls(d ast.Node) []string {
	var names []string
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok {
				if pkg, ok := f.X.(*ast.Ident); ok {
					names = append(names, pkg.Name+"."+f.Sel.Name)
				}
			}
		}
		return true
	})
	return names
}

package tui

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// parts are the fields by which one part of the screen is handed another, and their types.
var parts = map[string]string{"session": "session", "chat": "chat", "views": "views", "dialogs": "dialogs", "snackbar": "snackbar", "outbox": "outbox"}

// A part changes only its own state, and the root changes that of none.
func TestPartsChangeOnlyThemselves(t *testing.T) {
	t.Parallel()
	methods := map[string]int{}
	for _, f := range parsed(t, ".") {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			own := strings.TrimPrefix(typeName(fn.Recv.List[0].Type), "*")
			methods[own]++
			for _, path := range changed(fn.Body) {
				if what := foreign(path, own); what != "" {
					t.Errorf("%s.%s changes %s, which belongs to the %s", own, fn.Name.Name, strings.Join(path, "."), what)
				}
			}
		}
	}
	for _, own := range parts {
		if methods[own] < 3 {
			t.Errorf("only %d methods of %s were seen", methods[own], own)
		}
	}
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// foreign is the part that a path of fields leads into from a method of own, "" for none.
func foreign(path []string, own string) string {
	into := ""
	for _, name := range path[:len(path)-1] { // the last is what changes
		if part, ok := parts[name]; ok && part != own {
			into = part
		}
	}
	return into
}

// changed is the fields that a body assigns to, by their paths; a local name of a part
// counts as that part.
func changed(body *ast.BlockStmt) (paths [][]string) {
	aliases := map[string][]string{}
	add := func(e ast.Expr) {
		if path := pathOf(e, aliases); len(path) > 1 {
			paths = append(paths, path)
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IncDecStmt:
			add(n.X)
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				name, is := left.(*ast.Ident)
				if n.Tok == token.DEFINE && is && len(n.Lhs) == len(n.Rhs) {
					aliases[name.Name] = pathOf(n.Rhs[i], aliases)
					continue
				}
				add(left)
			}
		}
		return true
	})
	return paths
}

// pathOf is the names of a chain of fields, nil for another expression.
func pathOf(e ast.Expr, aliases map[string][]string) []string {
	switch e := e.(type) {
	case *ast.Ident:
		if path := aliases[e.Name]; path != nil {
			return path
		}
		return []string{e.Name}
	case *ast.SelectorExpr:
		if path := pathOf(e.X, aliases); path != nil {
			return append(path[:len(path):len(path)], e.Sel.Name)
		}
	case *ast.IndexExpr:
		return pathOf(e.X, aliases)
	case *ast.StarExpr:
		return pathOf(e.X, aliases)
	case *ast.UnaryExpr:
		return pathOf(e.X, aliases)
	}
	return nil
}

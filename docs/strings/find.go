package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Text is one string that a user can see. A concatenation is one text; an ellipsis stands for each value in it.
type Text struct {
	File string
	Line int
	Text string
}

// elsewhere are folders and files whose texts never reach a person's eye in the program: tests, tools of the repository,
// and what a model is told. A change to what a model is told changes what it does, so it is not a matter of style.
var elsewhere = []string{
	"agent/agenttest/", "agent/anthropic/anthropictest/", "bench/", "cli/plot/", "compact/compacttest/", "compact/extract/", "compact/preset/adachsoft/",
	"compact/preset/wording.go", "compact/projection/", "compact/snippet/", "compact/summary/", "conversation/conversationtest/",
	"conversation/names/", "conversation/numbers/", "docs/", "e2e/", "storage/storagetest/", "tools/", "tui/tuitest/",
}

// shown are the fields and parameters whose single words are text as well: titles, labels, help.
var shown = map[string]bool{"Title": true, "Detail": true, "Help": true, "Short": true, "Long": true, "Hint": true, "Message": true,
	"Text": true, "Label": true, "Question": true, "Yes": true, "No": true, "Placeholder": true, "Example": true}

// unseen are calls whose strings are no text: patterns, programming errors and lines of the log file.
var unseen = map[string]bool{"MustCompile": true, "panic": true, "Warn": true, "Info": true, "Debug": true, "DebugContext": true,
	"InfoContext": true, "WarnContext": true, "HasPrefix": true, "HasSuffix": true, "Contains": true, "Cut": true, "CutPrefix": true,
	"CutSuffix": true, "Replace": true, "ReplaceAll": true, "TrimSuffix": true, "TrimPrefix": true, "Index": true}

// words tells a text from a key or a name: two words with a space between.
var words = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z’'"),.;:%…]\s+[A-Za-z‘'"(%/]`)
})

// Find lists the texts of all packages below root, by file and line.
func Find(root string) ([]Text, error) {
	var found []Text
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(path, root), string(filepath.Separator)))
		if d.IsDir() {
			if path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			slices.ContainsFunc(elsewhere, func(p string) bool { return strings.HasPrefix(name, p) }) {
			return nil
		}
		texts, err := inFile(path, name)
		found = append(found, texts...)
		return err
	})
	return found, err
}

// inFile lists the texts of one file.
func inFile(path, name string) ([]Text, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []Text
	add := func(at ast.Node, text string, label bool) {
		if text = strings.TrimSpace(text); words().MatchString(text) || label && strings.Trim(text, "…") != "" {
			found = append(found, Text{name, files.Position(at.Pos()).Line, text})
		}
	}
	var visit func(n ast.Node, label bool)
	visit = func(n ast.Node, label bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				if n.Tag != nil {
					tag, _ := strconv.Unquote(n.Tag.Value)
					add(n.Tag, reflect.StructTag(tag).Get("doc"), true)
				}
				return false
			case *ast.CallExpr:
				return !unseen[called(n)]
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && shown[id.Name] && !label {
					visit(n.Value, true)
					return false
				}
			case *ast.BinaryExpr:
				if text, ok := joined(n); ok {
					add(n, text, label)
					visitValues(n, visit)
					return false
				}
			case *ast.BasicLit:
				if text, ok := joined(n); ok {
					add(n, text, label)
				}
			}
			return true
		})
	}
	visit(file, false)
	return found, nil
}

// called is the name of the function that a call calls, without its package.
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// joined is the text of a literal, or of a sum with a literal in it.
func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return joined(e.X)
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "…", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "…", false
		}
		left, a := joined(e.X)
		right, b := joined(e.Y)
		return left + right, a || b
	}
	return "…", false
}

// visitValues visits what stands between the literals of a sum: calls have texts of their own.
func visitValues(e ast.Expr, visit func(ast.Node, bool)) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		visitValues(e.X, visit)
	case *ast.BinaryExpr:
		visitValues(e.X, visit)
		visitValues(e.Y, visit)
	case *ast.BasicLit:
	default:
		visit(e, false)
	}
}

// The documents for who changes the program name what exists. Rules:
//
//   - A name in code quotes that looks like a test, an identifier or a path of this repository is one.
//   - Every package has its line in the map, or that of the package it is in.

package main_test

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// workshop lists the documents for who changes the program.
func workshop(t *testing.T) []string {
	t.Helper()
	decisions, err := filepath.Glob("docs/decisions/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(decisions, "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md")
}

// names gives all declared functions and types as package.Name and package.Type.Method, and all tests by name.
func names(t *testing.T) (declared, tests map[string]bool) {
	t.Helper()
	declared, tests = map[string]bool{}, map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if s.test {
					tests[d.Name.Name] = true
				}
				declared[path.Base(s.pkg)+"."+receiver(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok {
						declared[path.Base(s.pkg)+"."+ts.Name.Name] = true
					}
				}
			}
		}
	}
	return declared, tests
}

func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name + "."
	}
	return ""
}

func TestDocumentsNameWhatExists(t *testing.T) {
	t.Parallel()
	declared, tests := names(t)
	packages, folders := map[string]bool{}, map[string]bool{"docs": true}
	for _, s := range sources(t) {
		packages[path.Base(s.pkg)] = true
		top, _, _ := strings.Cut(s.pkg, "/")
		folders[top] = true
	}
	span := regexp.MustCompile("`([^`\n]+)`")
	folder := regexp.MustCompile(`^([a-z0-9]+)/[a-z0-9_./]*$`)
	code := regexp.MustCompile(`^([a-z]+)\.([A-Za-z]+(?:\.[A-Za-z]+)?)$`)
	found := 0
	for _, document := range workshop(t) {
		for _, m := range span.FindAllStringSubmatch(read(t, document), -1) {
			name, exists := m[1], true
			c, f := code.FindStringSubmatch(name), folder.FindStringSubmatch(name)
			switch {
			case strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") || strings.HasPrefix(name, "Benchmark"):
				exists = tests[name]
			case f != nil && folders[f[1]]:
				_, err := os.Stat(filepath.FromSlash(name))
				exists = err == nil
			case c != nil && packages[c[1]]:
				exists = declared[name]
			default:
				continue
			}
			found++
			if !exists {
				t.Errorf("%s names %s, which does not exist", document, name)
			}
		}
	}
	if found < 40 {
		t.Errorf("only %d names were found: this test cannot read the documents", found)
	}
}

func TestDocumentsShowEveryPackage(t *testing.T) {
	t.Parallel()
	text := read(t, "ARCHITECTURE.md")
	seen := map[string]bool{}
	for _, s := range sources(t) {
		if s.pkg == "." || seen[s.pkg] || strings.Count(s.pkg, "/") > 1 {
			continue
		}
		seen[s.pkg] = true
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(s.pkg) + `/ `).MatchString(text) {
			t.Errorf("the map in ARCHITECTURE.md has no line for %s/", s.pkg)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9/]+)/ `).FindAllStringSubmatch(text, -1) {
		if !seen[m[1]] {
			t.Errorf("the map in ARCHITECTURE.md has a line for %s/, which does not exist", m[1])
		}
	}
}

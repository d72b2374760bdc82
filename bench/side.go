package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	// whole is the package whose benchmarks measure a program.
	whole = "e2e"

	// program is the variable that tells them which; e2e reads it.
	program = "PLIMSOLL_BENCH_PROGRAM"
)

// side is one of the two revisions.
type side struct {
	tree    string // its sources
	bin     string // the folder of what is built
	built   []built
	figures figures
}

// built is the benchmarks of a package.
type built struct {
	pkg  string // the folder from the top
	dir  string // where they run
	file string
}

// build builds the benchmarks of all packages that have some, and the program where whole programs are measured.
func (s *side) build(ctx context.Context, pkgs, here string) error {
	out, err := command(ctx, s.tree, nil, "go", "list", "-e", "-f", "{{.Dir}}", pkgs)
	if err != nil {
		return err
	}
	for dir := range strings.Lines(string(out)) {
		dir = strings.TrimSpace(dir)
		pkg, err := filepath.Rel(s.tree, dir)
		if err != nil {
			return err
		}
		if pkg == whole {
			dir = filepath.Join(here, whole)
		}
		has, err := hasBenchmarks(dir)
		if err != nil {
			return err
		}
		if !has {
			continue
		}
		b := built{pkg, dir, filepath.Join(s.bin, strings.ReplaceAll(filepath.ToSlash(pkg), "/", "_")+".test")}
		if _, err := command(ctx, dir, nil, "go", "test", "-c", "-o", b.file, "."); err != nil {
			return err
		}
		s.built = append(s.built, b)
		if pkg == whole {
			if _, err := command(ctx, s.tree, nil, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", s.program(), "."); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *side) program() string { return filepath.Join(s.bin, "plimsoll") }

// hasBenchmarks says whether the tests in a folder have a benchmark; a folder that is not there has none.
func hasBenchmarks(dir string) (bool, error) {
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return false, err
	}
	for _, t := range tests {
		text, err := os.ReadFile(t)
		if err != nil {
			return false, err
		}
		if bytes.Contains(text, []byte("\nfunc Benchmark")) {
			return true, nil
		}
	}
	return false, nil
}

// measure runs the benchmarks of a package once, and adds their figures. A side without the package has none.
func (s *side) measure(ctx context.Context, o options, pkg string) error {
	for _, b := range s.built {
		if b.pkg != pkg {
			continue
		}
		args := []string{"-test.run", "^$", "-test.bench", o.bench, "-test.benchtime", o.time, "-test.timeout", "30m"}
		if pkg != whole { // there it would count what measures, not the program
			args = append(args, "-test.benchmem")
		}
		out, err := command(ctx, b.dir, []string{program + "=" + s.program()}, b.file, args...)
		if err != nil {
			return fmt.Errorf("%s: %w", s.tree, err)
		}
		return s.figures.read(pkg, bytes.NewReader(out))
	}
	return nil
}

// Package bench compares the benchmarks of two revisions: make bench-compare. It builds those of both, runs them in
// turns, so that other work of the machine meets both, and says of each figure whether it changed beyond noise.
//
// The benchmarks of e2e measure whole programs: this tree's code measures both. Other packages run their own.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// errSlower ends a comparison that found something slower.
var errSlower = errors.New("something is slower beyond noise")

// options are what the command line says.
type options struct {
	base, bench, pkg, time string
	rounds                 int
}

func main() {
	var o options
	flag.StringVar(&o.base, "base", "", "the revision to compare with")
	flag.StringVar(&o.bench, "bench", ".", "benchmarks whose name matches")
	flag.StringVar(&o.pkg, "pkg", "./...", "packages")
	flag.StringVar(&o.time, "time", "100ms", "how long, or how often (5x), a benchmark runs each round")
	flag.IntVar(&o.rounds, "rounds", leastRounds, "rounds")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	switch {
	case o.base == "":
		return errors.New("say with what: make bench-compare BASE=main")
	case o.rounds < leastRounds:
		return fmt.Errorf("fewer than %d rounds cannot tell a difference from noise", leastRounds)
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "plimsoll-compare-")
	if err != nil {
		return err
	}
	tree := filepath.Join(tmp, "tree")
	defer func() {
		// The folder goes away even when ctx is over.
		_, dropped := command(context.WithoutCancel(ctx), here, nil, "git", "worktree", "remove", "--force", tree)
		if err == nil {
			err = dropped
		}
		err = errors.Join(err, os.RemoveAll(tmp))
	}()
	if _, err := command(ctx, here, nil, "git", "worktree", "add", "--detach", tree, o.base); err != nil {
		return err
	}
	base := &side{tree: tree, bin: filepath.Join(tmp, "base"), figures: figures{}}
	now := &side{tree: here, bin: filepath.Join(tmp, "new"), figures: figures{}}
	for _, s := range []*side{base, now} {
		if err := s.build(ctx, o.pkg, here); err != nil {
			return err
		}
	}
	for n := range o.rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d\n", n+1, o.rounds)
		order := []*side{base, now}
		if n%2 == 1 {
			order = []*side{now, base}
		}
		if err := round(ctx, o, order); err != nil {
			return err
		}
	}
	rows := compare(base.figures, now.figures)
	if len(rows) == 0 {
		return errors.New("there is no benchmark of that name")
	}
	if report(os.Stdout, rows) {
		return errSlower
	}
	return nil
}

// round runs each package of both sides once, one side right after the other.
func round(ctx context.Context, o options, order []*side) error {
	done := map[string]bool{}
	for _, first := range order {
		for _, b := range first.built {
			if done[b.pkg] {
				continue
			}
			done[b.pkg] = true
			for _, s := range order {
				if err := s.measure(ctx, o, b.pkg); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// command runs a program and gives its output; an error has what it said.
func command(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, said.Bytes(), out)
	}
	return out, nil
}

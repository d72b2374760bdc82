package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"plimsoll/cli"
	confine "plimsoll/tools/sandbox"
)

// asPlimsoll is the variable that makes the test binary run as plimsoll.
const asPlimsoll = "PLIMSOLL_E2E"

// withSpaces is the value of asPlimsoll with which commands get namespaces.
const withSpaces = "spaces"

const version = "0.0.0-test"

// TestMain runs the test binary as plimsoll if asPlimsoll is set.
func TestMain(m *testing.M) {
	confine.RunHelper()
	if os.Getenv(asPlimsoll) != "" {
		os.Exit(plimsoll())
	}
	flag.Parse()
	// The tests mostly wait for back-offs and frames, so more of them run in parallel than there are processors.
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("6"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	code := m.Run()
	if builtIn != "" {
		_ = os.RemoveAll(builtIn) // a leftover in the temporary folder does no harm
	}
	os.Exit(code)
}

// plimsoll runs the program as package main does.
func plimsoll() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	self := ""
	if os.Getenv(asPlimsoll) == withSpaces {
		self = "/proc/self/exe"
	}
	return cli.Run(ctx, cli.Env{Self: self, Args: os.Args[1:], Lookup: os.LookupEnv, Environ: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: version})
}

// Plimsoll is a terminal chat client that always shows how full the model's
// context window is.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"plimsoll/cli"
	"plimsoll/tools/sandbox"
)

//go:embed config.yaml.example
var example []byte

// version is set by the linker for releases; "" otherwise.
var version = ""

func main() {
	sandbox.RunHelper()
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := protect(); err != nil {
		fmt.Fprintf(os.Stderr, "plimsoll: commands could read the keys in this program's environment: %v\n", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "plimsoll: the current folder cannot be found: %v\n", err)
		return 1
	}
	return cli.Run(ctx, cli.Env{
		Args: os.Args[1:], Lookup: os.LookupEnv, Environ: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Version: buildVersion(), Example: example, Keyring: cli.SystemKeyring(), Self: "/proc/self/exe",
	})
}

// buildVersion returns the linked version, else the module's, else the commit.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
